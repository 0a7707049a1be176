/**
 * What a requested run means. `stale`: it was done, or the schedule was changed since. `missed`: nothing could run in time; it
 * is reported, and not made up for.
 */
export type RunDecision = 'run' | 'missed' | 'stale';

/** A run that is later than this is missed: twelve hours. */
export const MAX_LATENESS_MS = 12 * 3_600_000;

/** Decides about the run that was requested for `requestedMs`; the schedule's next run is `dueMs` (all in ms since 1970). */
export function decideRun({
  requestedMs,
  dueMs,
  nowMs,
}: {
  readonly requestedMs: number;
  readonly dueMs: number;
  readonly nowMs: number;
}): RunDecision {
  if (requestedMs !== dueMs || nowMs < dueMs) return 'stale';
  return nowMs - dueMs > MAX_LATENESS_MS ? 'missed' : 'run';
}
