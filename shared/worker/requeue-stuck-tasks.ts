import { type FailureNoticeTask, type ReconcileTask, threadKey } from '../domain/index.ts';
import type { Job } from '../video/jobs/index.ts';
import type { Facts } from '../runtime/log.ts';
import type { Queue } from '../aws/sqs-queue.ts';
import type { Clock } from '../runtime/time.ts';
import type { DueTurn, Jobs, Turns } from '../storage/index.ts';
import type { Log } from '../context/ports.ts';
import { recordingsUnnoted } from '../voice/auto-transcribe.ts';
import { routeQuestion } from '../intake/accept-question.ts';
import { enqueueTask } from '../task-queue/enqueue.ts';
import { enqueueVideoTask } from '../video/enqueue.ts';
import { errorName } from '../utils/error-name.ts';

export type SweepContext = {
  readonly turns: Pick<Turns, 'due' | 'settle' | 'postpone' | 'abandon'>;
  readonly jobs: Pick<Jobs, 'due'>;
  readonly queue: Queue;
  /** The queue of recordings to transcribe. */
  readonly voice: Queue;
  readonly now: Clock;
  /** Told of each item that failed. */
  readonly log: Log;
};

/** What a sweep came to: how many items were taken up, and how many could not be. */
export type SweepResult = { readonly count: number; readonly failed: number };

/** How many turns of each kind one sweep takes up; the next sweep, a minute later, takes the next. */
const MAX_TURNS = 100;
const MAX_JOBS = 1_000;
/**
 * Of so many videos in one workspace the time so far is shown anew in one sweep. Slack lets an app change about 50 messages a minute
 * (`chat.update`, tier 3: docs.slack.dev/apis/web-api/rate-limits), and answers are shown by that too.
 */
const MAX_REFRESHED_CARDS = 20;
/** Sent side by side. */
const CONCURRENCY = 20;

/**
 * How often an item is tried again, 1, 2, 4 … 60 minutes apart: for six hours, which outlasts an outage of the queue. Then it is
 * given up, so that what can never be sent is not tried for ever.
 */
export const MAX_ATTEMPTS = 12;
const MINUTE_MS = 60_000;
const retryAfterMs = (attempts: number): number => MINUTE_MS * Math.min(60, 2 ** attempts);

/**
 * Takes up what got stuck: queues the questions that could not be queued, and a look at the answers that may be
 * visible twice. Goes through the queue so that each waits its turn in its thread. Each item stands alone: one that fails is logged,
 * counted and tried again later, and the others go on. Rejects where the table cannot say what is due.
 */
export async function requeueStuckTasks(context: SweepContext): Promise<SweepResult> {
  const looks = await Promise.allSettled([sweepTurns(context), sweepJobs(context)]);
  const results = looks.flatMap((look) => (look.status === 'fulfilled' ? look.value : []));
  const unread = looks.find((look) => look.status === 'rejected');
  if (unread) throw unread.reason;
  const failed = results.filter((taken) => !taken).length;
  return { count: results.length - failed, failed };
}

async function sweepTurns(context: SweepContext): Promise<boolean[]> {
  const due = await context.turns.due(MAX_TURNS);
  // The questions of a thread are queued in their order.
  const threads = [...Map.groupBy(due, ({ key }) => key['pk']?.S).values()];
  const results = await concurrently(threads, async (items) => {
    const taken: boolean[] = [];
    for (const item of items) taken.push(await sweepTurn(item, context));
    return taken;
  });
  return results.flat();
}

/** Those before which so many jobs of the same workspace stand that their cards are changed only where they have to be. */
function crowdedOut(jobs: readonly Job[]): ReadonlySet<Job> {
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
  const jobs = await context.jobs.due(MAX_JOBS, (id) => {
    unreadable.push(id);
    context.log('sweep.failed', { job: id, why: 'unreadable' });
  });
  const quiet = crowdedOut(jobs);
  // The same moment is sent once in five minutes; after the look there is another moment, or none. A job that fails is due
  // in the next sweep again, until its item expires.
  const taken = await concurrently(jobs, async (job) => {
    try {
      await enqueueVideoTask(job, `due-${job.due}`, context.queue, quiet.has(job));
      return true;
    } catch (error) {
      context.log('sweep.failed', { ...factsOfJob(job), ...factsOfError(error) });
      return false;
    }
  });
  return [...taken, ...unreadable.map(() => false)];
}

/** Resolves with whether the item was taken up. Never rejects. */
async function sweepTurn(due: DueTurn, context: SweepContext): Promise<boolean> {
  try {
    await queueTurn(due, context);
    return true;
  } catch (error) {
    const attempts = due.attempts + 1;
    const facts = { ...factsOfTurn(due), ...factsOfError(error), attempts };
    context.log('sweep.failed', facts);
    // Where this fails too, the item is due in the next sweep again.
    await (attempts < MAX_ATTEMPTS ? postpone(due, context) : giveUp(due, facts, context)).catch(
      () => undefined,
    );
    return false;
  }
}

async function queueTurn(due: DueTurn, context: SweepContext): Promise<void> {
  if (due.kind === 'unreadable') throw new UnreadableTurn();
  const { turn, why, question, attachments } = due;
  if (why === 'unsent') {
    // By now it may have been deleted: its worker looks.
    await routeQuestion(
      turn,
      question,
      attachments,
      { ...context, recordings: recordingsUnnoted },
      { late: true },
    );
    await context.turns.settle(turn);
  } else {
    const task: ReconcileTask = { v: 1, kind: 'reconcile', ...turn };
    // The mark stays until the look was taken; until then each sweep asks again, five minutes apart at the soonest.
    await enqueueTask(task, '', context.queue);
  }
}

const postpone = (due: DueTurn, { turns, now }: SweepContext): Promise<void> =>
  turns.postpone(due, now() + retryAfterMs(due.attempts));

/** A question that can never be queued ends with a sentence: its asker is told, by a task that holds no words of theirs. */
async function giveUp(due: DueTurn, facts: Facts, context: SweepContext): Promise<void> {
  context.log('sweep.given-up', facts);
  if (due.kind === 'turn' && due.why === 'unsent') {
    const task: FailureNoticeTask = { v: 1, kind: 'apologise', ...due.turn, question: '' };
    await enqueueTask(task, 'given-up', context.queue).catch((error: unknown) =>
      context.log('sweep.failed', { ...facts, ...factsOfError(error) }),
    );
  }
  await context.turns.abandon(due);
}

/** The item of a turn is not as this version knows it. */
class UnreadableTurn extends Error {
  override readonly name = 'UnreadableTurn';
}

const factsOfTurn = (due: DueTurn): Facts =>
  due.kind === 'turn'
    ? { thread: threadKey(due.turn.thread), message: due.turn.message, why: due.why }
    : { thread: due.key['pk']?.S, message: due.key['sk']?.S, why: due.kind };

const factsOfJob = ({ id, thread }: Job): Facts => ({ thread: threadKey(thread), job: id, why: 'video' });

const factsOfError = (error: unknown): Facts => ({
  error: errorName(error),
  code: error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined,
});

async function concurrently<T, R>(items: readonly T[], act: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let i = 0; i < items.length; i += CONCURRENCY) {
    results.push(...(await Promise.all(items.slice(i, i + CONCURRENCY).map(act))));
  }
  return results;
}
