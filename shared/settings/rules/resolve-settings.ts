import {
  effectiveLevels,
  type SettingsLayers,
  resolveSetting,
  type ResolvedSetting,
} from './resolve-levels.ts';
import { type SettingLevel, SETTING_LEVELS } from './level-names.ts';
import { SETTINGS, type SettingName, type SettingValues } from './values.ts';

/** Returns whether any level has locked the setting. */
export const isSettingLocked = (name: SettingName, layers: SettingsLayers): boolean =>
  resolve(name, layers).lock !== undefined;

/** Returns whether the setting can be changed at a level: it exists there, and no weaker level has locked it. */
export const isChangeable = (name: SettingName, level: SettingLevel, layers: SettingsLayers): boolean => {
  const { lock } = resolve(name, layers);
  const isLocked = lock !== undefined && SETTING_LEVELS.indexOf(lock.by) > SETTING_LEVELS.indexOf(level);
  return !isLocked && SETTINGS[name].levels.some((one) => one === level);
};

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
