import { type SettingLevel, SETTING_LEVELS } from './level-names.ts';
import type { SettingName, SettingValues } from './values.ts';

/** Holds a setting for all stronger levels, which can then no longer change it; `reason` is for those who would like to. */
export type SettingLock = { readonly reason: string };

/** What was set at one level. */
export type SettingsLayer = {
  readonly values: SettingValues;
  readonly locks?: { readonly [N in SettingName]?: SettingLock | undefined } | undefined;
  /**
   * Of values that name a saved text, its id: the name may be another text's by the time it is read. Absent where the text has no id,
   * as those that were saved by earlier versions.
   */
  readonly ids?: { readonly [N in SettingName]?: string | undefined } | undefined;
};

/** What was set where a question is asked. Levels at which nothing was set are absent. */
export type SettingsLayers = { readonly [L in SettingLevel]?: SettingsLayer | undefined };

/** What holds for one setting: the value, the level that it comes from, and who holds it there. */
export type ResolvedSetting<N extends SettingName> = {
  readonly value: SettingValues[N];
  readonly from: SettingLevel | undefined;
  readonly lock?: (SettingLock & { readonly by: SettingLevel }) | undefined;
};

/** What holds of a setting in which these levels have a say: see `resolve`. Without the table of settings, for a front. */
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

/** The levels that count for a setting, the strongest first: a lock leaves out all that are stronger than its own. */
export function effectiveLevels(
  levels: readonly SettingLevel[],
  name: SettingName,
  layers: SettingsLayers,
): { readonly lockedBy: SettingLevel | undefined; readonly effective: readonly SettingLevel[] } {
  const all = SETTING_LEVELS.filter((level) => levels.includes(level));
  const lockedBy = all.findLast((level) => layers[level]?.locks?.[name] !== undefined);
  return { lockedBy, effective: lockedBy ? all.slice(all.indexOf(lockedBy)) : all };
}
