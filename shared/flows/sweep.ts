import type { ReconcileTask } from '../conversation/index.ts';
import type { Queue } from '../runtime/queue.ts';
import type { Clock } from '../runtime/time.ts';
import type { Jobs, Turns } from '../store/index.ts';
import { handOver, send } from './receive.ts';
import { sendVideo } from './video/task.ts';

export type SweepDeps = {
  readonly turns: Pick<Turns, 'due' | 'settle'>;
  readonly jobs: Pick<Jobs, 'due'>;
  readonly queue: Queue;
  /** Where recordings go. */
  readonly voice?: Queue | undefined;
  readonly now: Clock;
};

/** How many turns of each kind one sweep takes up; the next sweep, a minute later, takes the next. */
const MOST = 100;
const MOST_JOBS = 1_000;
/** Sent side by side. */
const AT_ONCE = 20;

/**
 * Takes up what got stuck: queues the questions that could not be queued, and a look at the answers that may be
 * visible twice. Goes through the queue so that each waits its turn in its thread. Resolves with how many were taken up.
 */
export async function sweep(deps: SweepDeps): Promise<number> {
  const due = await deps.turns.due(MOST);
  for (const { turn, why, question, attachments } of due) {
    if (why === 'unsent') {
      await handOver(turn, question, attachments, deps);
      await deps.turns.settle(turn);
    } else {
      const task: ReconcileTask = { v: 1, kind: 'reconcile', ...turn };
      // The mark stays until the look was taken; until then each sweep asks again, five minutes apart at the soonest.
      await send(task, '', deps.queue);
    }
  }
  // The same moment is sent once in five minutes; after the look there is another moment, or none.
  const jobs = await deps.jobs.due(MOST_JOBS);
  for (let i = 0; i < jobs.length; i += AT_ONCE) {
    const some = jobs.slice(i, i + AT_ONCE);
    await Promise.all(some.map((job) => sendVideo(job, `due-${job.due}`, deps.queue)));
  }
  return due.length + jobs.length;
}
