import {
  effectiveLevels,
  type SettingsLayers,
  resolveSetting,
  type ResolvedSetting,
} from './resolve-levels.ts';
import { type SettingLevel, SETTING_LEVELS } from './level-names.ts';
import { SETTINGS, type SettingName, type SettingValues } from './values.ts';

/** Whether a setting is held by some level, for all that would override it. */
export const isLocked = (name: SettingName, layers: SettingsLayers): boolean =>
  resolve(name, layers).lock !== undefined;

/** Whether a setting is for a level to set: it has a say there, and no weaker level holds it. */
export const isChangeable = (name: SettingName, level: SettingLevel, layers: SettingsLayers): boolean => {
  const { lock } = resolve(name, layers);
  const locked = lock !== undefined && SETTING_LEVELS.indexOf(lock.by) > SETTING_LEVELS.indexOf(level);
  return !locked && SETTINGS[name].levels.some((one) => one === level);
};

/**
 * What holds: thread before channel before person before workspace before deployment. A lock is looked for from the
 * other end, since it binds all that are stronger than its level: then the strongest of the rest counts. A level that has
 * no say in a setting is passed over, value and lock alike.
 */
export const resolve = <N extends SettingName>(name: N, layers: SettingsLayers): ResolvedSetting<N> =>
  resolveSetting(SETTINGS[name].levels, name, layers);

/** A value that holds together with those of other levels. */
export type LevelValue<N extends SettingName> = {
  readonly level: SettingLevel;
  readonly value: NonNullable<SettingValues[N]>;
};

/** Every value that holds of a setting whose levels add up, such as `instructions`: the weakest level first. */
export function resolveAll<N extends SettingName>(name: N, layers: SettingsLayers): LevelValue<N>[] {
  const { effective } = effectiveLevels(SETTINGS[name].levels, name, layers);
  return effective.toReversed().flatMap((level): LevelValue<N>[] => {
    const value: SettingValues[N] = layers[level]?.values[name];
    return value === undefined || value === null ? [] : [{ level, value }];
  });
}
