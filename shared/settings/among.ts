import { type Level, LEVELS } from './level.ts';
import type { SettingName, Values } from './values.ts';

/** Holds a setting for all stronger levels, which can then no longer change it; `reason` is for those who would like to. */
export type Lock = { readonly reason: string };

/** What was set at one level. */
export type Layer = {
  readonly values: Values;
  readonly locks?: { readonly [N in SettingName]?: Lock | undefined } | undefined;
  /**
   * Of values that name a saved text, its id: the name may be another text's by the time it is read. Absent where the text has no id,
   * as those that were saved by earlier versions.
   */
  readonly ids?: { readonly [N in SettingName]?: string | undefined } | undefined;
};

/** What was set where a question is asked. Levels at which nothing was set are absent. */
export type Layers = { readonly [L in Level]?: Layer | undefined };

/** What holds for one setting: the value, the level that it comes from, and who holds it there. */
export type Resolved<N extends SettingName> = {
  readonly value: Values[N];
  readonly from: Level | undefined;
  readonly lock?: (Lock & { readonly by: Level }) | undefined;
};

/** What holds of a setting in which these levels have a say: see `resolve`. Without the table of settings, for a front. */
export function resolveAmong<N extends SettingName>(
  levels: readonly Level[],
  name: N,
  layers: Layers,
): Resolved<N> {
  const { lockedBy: by, effective } = effectiveLevels(levels, name, layers);
  const lock = by && layers[by]?.locks?.[name];
  const from = effective.find((level) => layers[level]?.values[name] !== undefined);
  const value: Values[N] = from ? layers[from]?.values[name] : undefined;
  return { value, from, lock: by && lock && { ...lock, by } };
}

/** The levels that count for a setting, the strongest first: a lock leaves out all that are stronger than its own. */
export function effectiveLevels(
  levels: readonly Level[],
  name: SettingName,
  layers: Layers,
): { readonly lockedBy: Level | undefined; readonly effective: readonly Level[] } {
  const all = LEVELS.filter((level) => levels.includes(level));
  const lockedBy = all.findLast((level) => layers[level]?.locks?.[name] !== undefined);
  return { lockedBy, effective: lockedBy ? all.slice(all.indexOf(lockedBy)) : all };
}
