import { type Level, LEVELS } from './level.ts';
import { SETTINGS, type SettingName, type Values } from './values.ts';

/** Holds a setting for all stronger levels, which can then no longer change it; `reason` is for those who would like to. */
export type Lock = { readonly reason: string };

/** What was set at one level. */
export type Layer = {
  readonly values: Values;
  readonly locks?: { readonly [N in SettingName]?: Lock | undefined } | undefined;
};

/** What was set where a question is asked. Levels at which nothing was set are absent. */
export type Layers = { readonly [L in Level]?: Layer | undefined };

/** What holds for one setting: the value, the level that it comes from, and who holds it there. */
export type Resolved<N extends SettingName> = {
  readonly value: Values[N];
  readonly from: Level | undefined;
  readonly lock?: (Lock & { readonly by: Level }) | undefined;
};

/** Whether a setting is held by some level, for all that would override it. */
export const isHeld = (name: SettingName, layers: Layers): boolean =>
  resolve(name, layers).lock !== undefined;

/**
 * What holds: thread before channel before person before workspace before deployment. A lock is looked for from the
 * other end, since it binds all that are stronger than its level: then the strongest of the rest counts. A level that has
 * no say in a setting is passed over, value and lock alike.
 */
export function resolve<N extends SettingName>(name: N, layers: Layers): Resolved<N> {
  const voices = LEVELS.filter((level) => SETTINGS[name].levels.some((one) => one === level));
  const by = voices.findLast((level) => layers[level]?.locks?.[name] !== undefined);
  const lock = by && layers[by]?.locks?.[name];
  const heard = by ? voices.slice(voices.indexOf(by)) : voices;
  const from = heard.find((level) => layers[level]?.values[name] !== undefined);
  const value: Values[N] = from ? layers[from]?.values[name] : undefined;
  return { value, from, lock: by && lock && { ...lock, by } };
}
