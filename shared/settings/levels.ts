import { type Layers, resolveAmong, type Resolved } from './among.ts';
import { SETTINGS, type SettingName } from './values.ts';

/** Whether a setting is held by some level, for all that would override it. */
export const isHeld = (name: SettingName, layers: Layers): boolean =>
  resolve(name, layers).lock !== undefined;

/**
 * What holds: thread before channel before person before workspace before deployment. A lock is looked for from the
 * other end, since it binds all that are stronger than its level: then the strongest of the rest counts. A level that has
 * no say in a setting is passed over, value and lock alike.
 */
export const resolve = <N extends SettingName>(name: N, layers: Layers): Resolved<N> =>
  resolveAmong(SETTINGS[name].levels, name, layers);
