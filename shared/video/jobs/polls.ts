const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** When the service is first asked, in ms since it took the job. */
const FIRST_POLL_MS = 5_000;
/** How often (ms) a job is asked about, until it is so old (ms): the card that people wait at is to move, also where no call comes. */
const PACES = [
  { untilMs: 30 * MINUTE_MS, everyMs: MINUTE_MS },
  { untilMs: 2 * HOUR_MS, everyMs: 5 * MINUTE_MS },
] as const;
const LATER_INTERVAL_MS = 15 * MINUTE_MS;

/** The limit unless told otherwise. */
export const JOB_LIMIT_MS = 6 * HOUR_MS;

/**
 * When to ask next whether anything has become of a job: after 5 s, then each minute for half an hour, each fifth for two hours,
 * each fifteenth from then on, and not after the job's limit. All in ms since 1970, the limit in ms.
 */
export function nextPoll(submittedAt: number, now: number, limitMs: number = JOB_LIMIT_MS): number {
  const age = Math.max(0, now - submittedAt);
  const { everyMs } = PACES.find(({ untilMs }) => age < untilMs) ?? { everyMs: LATER_INTERVAL_MS };
  const after = age < FIRST_POLL_MS ? FIRST_POLL_MS : (Math.floor(age / everyMs) + 1) * everyMs;
  // At the limit itself the job is looked at once more, and then ends; a look after it ends it at once.
  return submittedAt + (age >= limitMs ? after : Math.min(after, limitMs));
}

/** Whether a job has been waited for long enough. */
export const isTooOld = (submittedAt: number, now: number, limitMs: number = JOB_LIMIT_MS): boolean =>
  now - submittedAt >= limitMs;
