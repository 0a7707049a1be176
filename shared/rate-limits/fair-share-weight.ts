/** What somebody who is favoured has unless it is said: twice the usual share. */
const FAVOURED = 2;

/** A person, role or group, and how many times the usual share it has: `U1`, `S7*3`, `301*0.5`. From 0.1 to 9.9. */
export const WEIGHTED_NAMES = /^(?<id>&?[\w-]{1,50})(?:\*(?<times>\d(?:\.\d)?))?$/u;

/** The weight of someone who goes by all these ids: the highest that one of them has, and 1 where none is named. */
export function maxWeight(entries: readonly string[], ids: readonly string[]): number {
  const weights = entries.flatMap((entry) => {
    const { id = '', times } = WEIGHTED_NAMES.exec(entry)?.groups ?? {};
    return ids.includes(id) ? [times === undefined ? FAVOURED : Number(times)] : [];
  });
  return weights.length === 0 ? 1 : Math.max(0.1, ...weights);
}
