/** The weight of an entry without a number: twice the usual share. */
const DEFAULT_WEIGHT = 2;

/**
 * An entry of the setting: a person, role or group, and its weight: `U1`, `S7*3`, `301*0.5`. Weights go from
 * 0.1 to 9.9.
 */
const WEIGHT_ENTRY = /^(?<id>&?[\w-]{1,50})(?:\*(?<times>\d(?:\.\d)?))?$/u;

/** Returns the highest weight of these ids; 1 if none is listed. */
export function findMaxWeight(entries: readonly string[], ids: readonly string[]): number {
  const weights = entries.flatMap((entry) => {
    const { id = '', times } = WEIGHT_ENTRY.exec(entry)?.groups ?? {};
    return ids.includes(id) ? [times === undefined ? DEFAULT_WEIGHT : Number(times)] : [];
  });
  return weights.length === 0 ? 1 : Math.max(0.1, ...weights);
}
