import type { IntegrationPlace } from '../../domain/index.ts';
import { getLatestTat, type GcraRule } from '../../rate-limits/index.ts';
import type { Clock } from '../../runtime/index.ts';

/** How often an integration may read in each process: 1,200 times a minute, and 120 times at once. Thirty open questions that are read every two seconds are 900. */
const READ_LIMIT: GcraRule = { intervalUs: 50_000, toleranceUs: 119 * 50_000 };
/** The number of integrations that are counted before those that may read freely again are dropped. */
const MAX_COUNTED = 1_000;

/** Takes one read of an integration. Returns the wait in ms if there is none now. */
export type TakeRead = (place: IntegrationPlace, integration: string) => number | undefined;

/** Counts the reads of integrations in this process: a count that all processes share would cost a write for each read. */
export function createReadLimit(now: Clock): TakeRead {
  /** By integration: when all of its reads are free again (µs since 1970). */
  const busyUntil = new Map<string, number>();
  return ({ platform, workspace }, integration) => {
    const key = `${platform}#${workspace}#${integration}`;
    const nowUs = now() * 1_000;
    const tat = Math.max(nowUs, busyUntil.get(key) ?? 0);
    const latest = getLatestTat(READ_LIMIT, nowUs, 0);
    if (tat > latest) return Math.ceil((tat - latest) / 1_000);
    if (busyUntil.size >= MAX_COUNTED)
      for (const [other, until] of busyUntil) if (until <= nowUs) busyUntil.delete(other);
    busyUntil.set(key, tat + READ_LIMIT.intervalUs);
    return undefined;
  };
}
