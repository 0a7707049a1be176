import { type SettingLevel, SETTING_LEVELS } from './level-names.ts';
import type { SettingName, SettingValues } from './values.ts';

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

/** Returns the effective levels of a setting, strongest first: a lock excludes all levels stronger than its own. */
export function effectiveLevels(
  levels: readonly SettingLevel[],
  name: SettingName,
  layers: SettingsLayers,
): { readonly lockedBy: SettingLevel | undefined; readonly effective: readonly SettingLevel[] } {
  const all = SETTING_LEVELS.filter((level) => levels.includes(level));
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
