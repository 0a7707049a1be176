import { type FailureNoticeTask, type ReconcileTask, threadKey } from '../domain/index.ts';
import { enqueueTask } from '../task-queue/index.ts';
import type { Job } from '../video/jobs/index.ts';
import type { Log, Facts, Clock } from '../runtime/index.ts';
import { noRecordingTracking } from '../voice/index.ts';
import { routeQuestion } from '../intake/index.ts';
import { enqueueVideoTask } from '../video/index.ts';
import type { Queue } from '../aws/index.ts';
import { enqueueScheduledRun } from '../schedules/index.ts';
import type { DueTurn, Jobs, Schedules, Turns } from '../storage/index.ts';
import { getErrorFacts, mapConcurrently } from '../utils/index.ts';

export type SweepContext = {
  readonly turns: Pick<Turns, 'listDue' | 'completeDue' | 'postponeDue' | 'abandonDue'>;
  readonly jobs: Pick<Jobs, 'listDue'>;
  readonly schedules: Pick<Schedules, 'listDue'>;
  readonly queue: Queue;
  /** The queue of recordings to transcribe. */
  readonly transcriptionQueue: Queue;
  readonly now: Clock;
  /** Receives each item that failed. */
  readonly log: Log;
};

/** Result of a sweep: the number of requeued and of failed items. */
export type SweepResult = { readonly count: number; readonly failed: number };

/** Limits of one sweep; the next one, a minute later, continues. */
const MAX_TURNS = 100;
const MAX_JOBS = 1_000;
const MAX_DUE_SCHEDULES = 200;
/**
 * The maximum number of cards of videos in one workspace whose elapsed time one sweep updates. Slack lets an app change about 50 messages a minute
 * (`chat.update`, tier 3: docs.slack.dev/apis/web-api/rate-limits), and answers need that too.
 */
const MAX_REFRESHED_CARDS = 20;
/** Messages sent in parallel. */
const CONCURRENCY = 20;

/**
 * Retries of an item, with a backoff of 1, 2, 4 … 60 minutes: six hours, which outlasts an outage of the queue. Then it is given up, so
 * that an item that can never be sent is not retried forever.
 */
export const MAX_ATTEMPTS = 12;
const MINUTE_MS = 60_000;
const retryAfterMs = (attempts: number): number => MINUTE_MS * Math.min(60, 2 ** attempts);

/**
 * Requeues what got stuck: questions that could not be queued, and checks of answers that may be visible twice; and enqueues what is due
 * by a schedule. They go through the queue so that each keeps the order of its thread. Items are independent: one that fails is logged, counted and retried later. Rejects if the
 * due items cannot be read.
 */
export async function requeueStuckTasks(context: SweepContext): Promise<SweepResult> {
  const sweeps = await Promise.allSettled([sweepTurns(context), sweepJobs(context), sweepSchedules(context)]);
  const results = sweeps.flatMap((sweep) => (sweep.status === 'fulfilled' ? sweep.value : []));
  const failure = sweeps.find((sweep) => sweep.status === 'rejected');
  if (failure) throw failure.reason;
  const failed = results.filter((isQueued) => !isQueued).length;
  return { count: results.length - failed, failed };
}

async function sweepTurns(context: SweepContext): Promise<boolean[]> {
  const due = await context.turns.listDue(MAX_TURNS);
  // The questions of a thread keep their order.
  const threads = [...Map.groupBy(due, ({ key }) => key['pk']?.S).values()];
  const results = await mapConcurrently(threads, CONCURRENCY, async (items) => {
    const threadResults: boolean[] = [];
    for (const item of items) threadResults.push(await sweepTurn(item, context));
    return threadResults;
  });
  return results.flat();
}

/** Jobs beyond the limit of their workspace: their cards change only if they must. */
function findExcessJobs(jobs: readonly Job[]): ReadonlySet<Job> {
  const counts = new Map<string, number>();
  const isBeyond = ({ thread }: Job): boolean => {
    const workspace = `${thread.platform} ${thread.workspace}`;
    const before = counts.get(workspace) ?? 0;
    counts.set(workspace, before + 1);
    return before >= MAX_REFRESHED_CARDS;
  };
  return new Set(jobs.filter(isBeyond));
}

async function sweepJobs(context: SweepContext): Promise<boolean[]> {
  const unreadable: string[] = [];
  const jobs = await context.jobs.listDue(MAX_JOBS, (id) => {
    unreadable.push(id);
    context.log('sweep.failed', { job: id, reason: 'unreadable' });
  });
  const quiet = findExcessJobs(jobs);
  // The queue deduplicates the same due time for five minutes. After a sweep the job has another due time,
  // or none. A job that fails is due again in the next sweep, until its item expires.
  const results = await mapConcurrently(jobs, CONCURRENCY, async (job) => {
    try {
      await enqueueVideoTask(job, `due-${job.due}`, context.queue, quiet.has(job));
      return true;
    } catch (error) {
      context.log('sweep.failed', { ...factsOfJob(job), ...getErrorFacts(error) });
      return false;
    }
  });
  return [...results, ...unreadable.map(() => false)];
}

/** Enqueues what is due by a schedule. A run that cannot be enqueued is due again in the next sweep. */
async function sweepSchedules(context: SweepContext): Promise<boolean[]> {
  const unreadable: string[] = [];
  const schedules = await context.schedules.listDue(MAX_DUE_SCHEDULES, (id) => {
    unreadable.push(id);
    context.log('sweep.failed', { name: id, reason: 'unreadable' });
  });
  const results = await mapConcurrently(schedules, CONCURRENCY, async (schedule) => {
    try {
      await enqueueScheduledRun(schedule, context.queue);
      return true;
    } catch (error) {
      context.log('sweep.failed', { name: schedule.id, reason: 'schedule', ...getErrorFacts(error) });
      return false;
    }
  });
  return [...results, ...unreadable.map(() => false)];
}

/** Resolves with whether the item was requeued. Never rejects. */
async function sweepTurn(due: DueTurn, context: SweepContext): Promise<boolean> {
  try {
    await queueTurn(due, context);
    return true;
  } catch (error) {
    const attempts = due.attempts + 1;
    const facts = { ...factsOfTurn(due), ...getErrorFacts(error), attempts };
    context.log('sweep.failed', facts);
    // If this fails too, the item is due again in the next sweep.
    await (attempts < MAX_ATTEMPTS ? postpone(due, context) : giveUp(due, facts, context)).catch(
      () => undefined,
    );
    return false;
  }
}

async function queueTurn(due: DueTurn, context: SweepContext): Promise<void> {
  if (due.kind === 'unreadable') throw new UnreadableTurnError();
  const { turn, reason: why, question, attachments, edit } = due;
  if (why === 'unsent') {
    // It may be deleted by now: its worker checks.
    await routeQuestion(
      turn,
      question,
      attachments ?? [],
      { ...context, recordings: noRecordingTracking },
      { late: true, edit, mayHaveFiles: attachments?.length === 0 || undefined },
    );
    await context.turns.completeDue(turn);
  } else {
    const task: ReconcileTask = { v: 1, kind: 'reconcile', ...turn };
    // The turn stays marked until the check is done; each sweep enqueues it again, at most once in five minutes.
    await enqueueTask(task, '', context.queue);
  }
}

const postpone = (due: DueTurn, { turns, now }: SweepContext): Promise<void> =>
  turns.postponeDue(due, now() + retryAfterMs(due.attempts));

/** Ends a question that can never be queued: a task without its text tells the person. */
async function giveUp(due: DueTurn, facts: Facts, context: SweepContext): Promise<void> {
  context.log('sweep.given-up', facts);
  if (due.kind === 'turn' && due.reason === 'unsent') {
    const task: FailureNoticeTask = { v: 1, kind: 'apologise', ...due.turn, question: '', late: true };
    await enqueueTask(task, 'given-up', context.queue).catch((error: unknown) =>
      // Not with the code of the first error.
      context.log('sweep.failed', { ...facts, code: undefined, ...getErrorFacts(error) }),
    );
  }
  await context.turns.abandonDue(due);
}

/** This version cannot read the item of a turn. */
class UnreadableTurnError extends Error {
  override readonly name = 'UnreadableTurnError';
}

const factsOfTurn = (due: DueTurn): Facts =>
  due.kind === 'turn'
    ? { thread: threadKey(due.turn.thread), message: due.turn.message, reason: due.reason }
    : { thread: due.key['pk']?.S, message: due.key['sk']?.S, reason: due.kind };

const factsOfJob = ({ id, thread }: Job): Facts => ({ thread: threadKey(thread), job: id, reason: 'video' });
