const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The first poll, in ms after the submission. */
const FIRST_POLL_MS = 5_000;
/** Poll intervals (ms) by the age of a job (ms). Polling keeps the card up to date even if no callback arrives. */
const POLL_INTERVALS = [
  { untilMs: 30 * MINUTE_MS, everyMs: MINUTE_MS },
  { untilMs: 2 * HOUR_MS, everyMs: 5 * MINUTE_MS },
] as const;
const LATER_INTERVAL_MS = 15 * MINUTE_MS;

/** The default limit of a job. */
export const JOB_LIMIT_MS = 6 * HOUR_MS;

/**
 * Returns the next poll of a job: after 5 s, then every minute for half an hour, every 5 minutes until two hours have passed, then
 * every 15 minutes until the job's limit. Times in ms since 1970, the limit in ms.
 */
export function nextPoll(submittedAt: number, now: number, limitMs: number = JOB_LIMIT_MS): number {
  const age = Math.max(0, now - submittedAt);
  const { everyMs } = POLL_INTERVALS.find(({ untilMs }) => age < untilMs) ?? { everyMs: LATER_INTERVAL_MS };
  const after = age < FIRST_POLL_MS ? FIRST_POLL_MS : (Math.floor(age / everyMs) + 1) * everyMs;
  // The last poll is at the limit; a later one ends the job.
  return submittedAt + (age >= limitMs ? after : Math.min(after, limitMs));
}

/** Whether a job has exceeded its limit. */
export const isTooOld = (submittedAt: number, now: number): boolean => now - submittedAt >= JOB_LIMIT_MS;
