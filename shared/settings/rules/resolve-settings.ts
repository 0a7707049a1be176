import { type SettingLevel, SETTING_LEVELS } from './level-names.ts';
import { type SettingName, type SettingValues, SETTINGS } from './values.ts';

/** Prevents stronger levels from overriding a setting. People who try to change it see `reason`. */
export type SettingLock = { readonly reason: string };

/** The settings of one level. */
export type SettingsLayer = {
  readonly values: SettingValues;
  readonly locks?: { readonly [N in SettingName]?: SettingLock | undefined } | undefined;
  /**
   * The ids of presets that values name: by now, the name may belong to another preset. Absent if the preset has no id
   * because an earlier version saved it.
   */
  readonly ids?: { readonly [N in SettingName]?: string | undefined } | undefined;
};

/** The settings of all levels that apply to a question. Levels without settings are absent. */
export type SettingsLayers = { readonly [L in SettingLevel]?: SettingsLayer | undefined };

/** The effective value of a setting, the level that it comes from, and its lock. */
export type ResolvedSetting<N extends SettingName> = {
  readonly value: SettingValues[N];
  readonly from: SettingLevel | undefined;
  readonly lock?: (SettingLock & { readonly by: SettingLevel }) | undefined;
};

/**
 * Resolves a setting that can be set at these levels: see `resolve`. Does not import the table of settings, which would
 * enlarge the front's bundle.
 */
export function resolveSetting<N extends SettingName>(
  levels: readonly SettingLevel[],
  name: N,
  layers: SettingsLayers,
): ResolvedSetting<N> {
  const { lockedBy: by, effective } = effectiveLevels(levels, name, layers);
  const lock = by && layers[by]?.locks?.[name];
  const from = effective.find((level) => layers[level]?.values[name] !== undefined);
  const value: SettingValues[N] = from ? layers[from]?.values[name] : undefined;
  return { value, from, lock: by && lock && { ...lock, by } };
}

/** Returns the effective levels of a setting that have any settings, strongest first: a lock excludes all levels stronger than its own. */
function effectiveLevels(
  levels: readonly SettingLevel[],
  name: SettingName,
  layers: SettingsLayers,
): { readonly lockedBy: SettingLevel | undefined; readonly effective: readonly SettingLevel[] } {
  const all = SETTING_LEVELS.filter((level) => layers[level] !== undefined && levels.includes(level));
  const lockedBy = all.findLast((level) => layers[level]?.locks?.[name] !== undefined);
  return { lockedBy, effective: lockedBy ? all.slice(all.indexOf(lockedBy)) : all };
}

/**
 * Returns the language that is set (a BCP 47 tag); undefined if none is, or `auto`. Does not import the table of settings,
 * which would enlarge the front's bundle.
 */
export function getLanguageSetting(layers: SettingsLayers): string | undefined {
  const { value } = resolveSetting(SETTING_LEVELS, 'language', layers);
  return value === 'auto' ? undefined : value;
}

/** Returns whether any level has locked the setting. */
export const isSettingLocked = (name: SettingName, layers: SettingsLayers): boolean =>
  resolve(name, layers).lock !== undefined;

/**
 * Returns the lock that forbids a person to change a setting at a level: one of a weaker level. Everybody may change the settings of a thread, so
 * a lock of the thread itself binds everybody but administrators.
 */
export function findBindingLock(
  name: SettingName,
  { level, admin }: { readonly level: SettingLevel; readonly admin: boolean },
  layers: SettingsLayers,
): ResolvedSetting<SettingName>['lock'] {
  const { lock } = resolve(name, layers);
  if (!lock || (lock.by === 'thread' && level === 'thread' && !admin)) return lock;
  return SETTING_LEVELS.indexOf(lock.by) > SETTING_LEVELS.indexOf(level) ? lock : undefined;
}

/** Returns whether a person can change the setting at a level: it exists there, and no lock forbids it. */
export const isChangeable = (
  name: SettingName,
  changer: { readonly level: SettingLevel; readonly admin: boolean },
  layers: SettingsLayers,
): boolean =>
  !findBindingLock(name, changer, layers) && SETTINGS[name].levels.some((one) => one === changer.level);

/**
 * Resolves a setting: thread before channel before person before workspace before deployment. The lock of the weakest
 * level counts, and excludes all levels stronger than its own. Values and locks at a level where the setting does not exist
 * are ignored.
 */
export const resolve = <N extends SettingName>(name: N, layers: SettingsLayers): ResolvedSetting<N> =>
  resolveSetting(SETTINGS[name].levels, name, layers);

/** A value that applies together with those of other levels. */
export type LevelValue<N extends SettingName> = {
  readonly level: SettingLevel;
  readonly value: NonNullable<SettingValues[N]>;
};

/** Resolves a setting whose levels add up, such as `instructions`: weakest level first. */
export function resolveAll<N extends SettingName>(name: N, layers: SettingsLayers): LevelValue<N>[] {
  const { effective } = effectiveLevels(SETTINGS[name].levels, name, layers);
  return effective.toReversed().flatMap((level): LevelValue<N>[] => {
    const value: SettingValues[N] = layers[level]?.values[name];
    return value === undefined || value === null ? [] : [{ level, value }];
  });
}
