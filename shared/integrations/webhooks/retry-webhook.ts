/** When a webhook is sent again after its event (ms). All of them are within the time that a task may wait. */
const RETRIES_MS = [5_000, 30_000, 120_000, 300_000, 540_000] as const;

/** Returns how long to wait until the next attempt, by the time since the event (ms); undefined after the last one. */
export function nextRetryMs(elapsedMs: number): number | undefined {
  const due = RETRIES_MS.find((ms) => ms > elapsedMs);
  return due === undefined ? undefined : due - elapsedMs;
}

/** The number of events in a row that were not delivered, after which a webhook is turned off. */
export const MAX_WEBHOOK_FAILURES = 10;
