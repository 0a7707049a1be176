const MINUTE_MS = 60_000;

/** After how long the service is asked, in ms since it took the job: 30 s, 1, 2, 4, 8, 15, 30 minutes, then every 30. */
const POLLS_MS = [0.5, 1, 2, 4, 8, 15, 30].map((minutes) => minutes * MINUTE_MS);
const EVERY_MS = 30 * MINUTE_MS;

/** The limit unless told otherwise. */
export const JOB_LIMIT_MS = 6 * 60 * MINUTE_MS;

/**
 * When to ask next whether anything has become of a job: the first of the moments above that is still to come, and not
 * after the job's limit. All in ms since 1970, the limit in ms.
 */
export function nextPoll(submittedAt: number, now: number, limitMs: number = JOB_LIMIT_MS): number {
  const age = Math.max(0, now - submittedAt);
  const early = POLLS_MS.find((after) => after > age);
  const after = early ?? (Math.floor(age / EVERY_MS) + 1) * EVERY_MS;
  // At the limit itself the job is looked at once more, and then ends; a look after it ends it at once.
  return submittedAt + (age >= limitMs ? after : Math.min(after, limitMs));
}

/** Whether a job has been waited for long enough. */
export const isTooOld = (submittedAt: number, now: number, limitMs: number = JOB_LIMIT_MS): boolean =>
  now - submittedAt >= limitMs;
