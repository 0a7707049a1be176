import type { QueueDelivery, ScheduledTask, TaskResult } from '../domain/index.ts';
import type { Log, Time } from '../runtime/index.ts';
import type { Schedule, ScheduleContent, Schedules } from '../storage/index.ts';
import { decideRun, findNextRun, listMissedRuns, MAX_LATENESS_MS } from './rules/index.ts';

/** A run of a schedule that is to be done now. */
export type ScheduledRun = {
  readonly schedule: Schedule;
  /**
   * Unique for each run. What the run shows carries it, so that it is shown once when the run is repeated after an
   * interruption.
   */
  readonly key: string;
  /** Runs that could not be done in time (ms since 1970), the oldest first. They are reported instead of done. Else empty. */
  readonly missed: readonly number[];
  /** The next run (ms since 1970); now, if it is due already. */
  readonly nextMs: number;
  /** An earlier attempt may have shown it since this moment (ms since 1970). Undefined for the first attempts, which the platform keeps single. */
  readonly maybePostedSince: number | undefined;
  /** So many runs in a row were undeliverable that the schedule ends if this one is too. */
  readonly endsIfUndeliverable: boolean;
};

/**
 * `undeliverable`: the platform refuses it for good, for example because the channel is gone. `ended`: it may not go on. `paused`: it
 * may not go on until somebody resumes it.
 */
export type RunOutcome = 'done' | 'undeliverable' | 'ended' | 'paused';

/** Thrown by a run that has to wait for a limit, of the models or of the platform. It stays due. */
export class RunPostponedError extends Error {
  override readonly name = 'RunPostponedError';
  readonly retryAfterMs: number;
  constructor(retryAfterMs: number, cause: unknown) {
    super(`the run may be repeated after ${retryAfterMs} ms`, { cause });
    this.retryAfterMs = retryAfterMs;
  }
}

/** Does a run, for each kind of content. Safe to repeat. Rejects if a repetition may succeed. */
export type ScheduleHandlers = {
  readonly [Kind in ScheduleContent['kind']]: (run: ScheduledRun) => Promise<RunOutcome>;
};

export type SchedulesContext = {
  readonly schedules: Pick<Schedules, 'find' | 'advance' | 'remove' | 'reschedule'>;
  readonly time: Time;
  readonly log: Log;
};

/** After so many consecutive undeliverable runs a schedule ends. */
const MAX_FAILURES = 4;
/**
 * Attempts within this time after the run was due are kept single by the platform: Discord returns the same message for the same nonce for “a few
 * minutes” (docs:resources/message). Later ones look for the message first.
 */
const FIRST_ATTEMPTS_MS = 150_000;
/** A postponed run looks again after this time at most. */
const MAX_POSTPONEMENT_MS = 90_000;
/** So many missed runs are counted. */
const MAX_MISSED = 100;

const DONE: TaskResult = { kind: 'done' };

/**
 * Does a run, then sets the next one. A worker that dies in between leaves the run due: it is repeated, and its key makes it
 * show once. A run that was done, or whose schedule was changed, paused or removed since, is dropped. Rejects if the table or the
 * platform is unavailable; the queue then delivers it again, and the sweeper enqueues it as long as it is due. So it does with a postponed
 * run that the queue will not deliver again.
 */
export async function runSchedule(
  { thread, scheduleId, runAt }: ScheduledTask,
  context: SchedulesContext,
  handlers: ScheduleHandlers,
  { isLast }: Pick<QueueDelivery, 'isLast'>,
): Promise<TaskResult> {
  const { schedules, time, log } = context;
  const schedule = await schedules.find(thread, scheduleId);
  if (!schedule || schedule.isPaused) return DONE;
  const nowMs = time.now();
  const decision = decideRun({ requestedMs: runAt, dueMs: schedule.dueMs, nowMs });
  if (decision === 'stale') return DONE;
  const { recurrence, content, dueMs } = schedule;
  // What was due less than twelve hours ago is not missed, but the next run: it is due at once.
  const missedUntilMs = nowMs - MAX_LATENESS_MS - 1;
  const isMissed = decision === 'missed';
  const missed = isMissed ? listMissedRuns(recurrence, dueMs, missedUntilMs, MAX_MISSED) : [];
  const nextDueMs = findNextRun(recurrence, isMissed ? missedUntilMs : nowMs);
  const nextMs = Math.max(nextDueMs, nowMs);
  const key = `${schedule.id}#${dueMs}`;
  const maybePostedSince = nowMs - dueMs > FIRST_ATTEMPTS_MS ? dueMs : undefined;
  const endsIfUndeliverable = schedule.failures + 1 >= MAX_FAILURES;
  const run = { schedule, key, missed, nextMs, maybePostedSince, endsIfUndeliverable };
  const outcome = await handlers[content.kind](run).catch(returnPostponement);
  if (outcome instanceof RunPostponedError) {
    const { retryAfterMs } = outcome;
    log('schedule.postponed', { platform: schedule.platform, kind: content.kind, ms: retryAfterMs });
    return isLast ? DONE : { kind: 'later', afterMs: Math.min(MAX_POSTPONEMENT_MS, retryAfterMs) };
  }
  const failures = outcome === 'undeliverable' ? schedule.failures + 1 : 0;
  log('schedule.ended', {
    platform: schedule.platform,
    kind: content.kind,
    outcome: missed.length > 0 ? `missed, ${outcome}` : outcome,
    ms: nowMs - dueMs,
    failures,
  });
  if (outcome === 'ended' || failures >= MAX_FAILURES) await schedules.remove(schedule, schedule.id);
  else if (outcome === 'paused') await schedules.reschedule(schedule, { dueMs: nextDueMs, isPaused: true });
  else await schedules.advance(schedule, { dueMs: nextDueMs, failures });
  return DONE;
}

function returnPostponement(error: unknown): RunPostponedError {
  if (error instanceof RunPostponedError) return error;
  throw error;
}
