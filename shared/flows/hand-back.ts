import type { Reply } from '../platforms/platform.ts';
import { isFirst, RECONCILE_AFTER_MS, type Work } from './claimed-work.ts';
import { LEASE_MS } from './lease.ts';
import type { Verdict } from './ports.ts';
import type { Thinking } from './thinking.ts';
import { isNews, type Known } from './watch.ts';

/** What of the marks on a turn is no news to the work under this claim. */
export const knownOf = ({ claim, granted }: Work): Omit<Known, 'noticed'> => ({
  granted,
  // Before an answer is made anew, a mark was about the one before; while it waits to be made, it is about this one.
  wish: claim.ended && (claim.waited ? claim.waited.known : claim.wish),
});

/**
 * The task waits on the queue, and whoever asked was told. Until it is back the turn counts as being answered, so that people can stop it. What
 * they did while this process let go of it has effect at once.
 */
export async function waitOnQueue(
  work: Work,
  reply: Reply,
  verdict: Extract<Verdict, { kind: 'later' }>,
): Promise<Verdict> {
  const { turn, claim, deps, delivery } = work;
  const { afterMs, turnInMs } = verdict;
  const isUntouched = await leave(work, reply, turnInMs !== undefined);
  const known = knownOf(work);
  const marked = await deps.turns.handBack(turn, claim.fence, {
    leaseMs: Math.max(afterMs, turnInMs ?? 0) + LEASE_MS,
    isUntouched,
    waits: { receipt: delivery.receipt, known: known.wish },
  });
  return isNews(marked, known) ? { ...verdict, afterMs: 0 } : verdict;
}

/** How long a question that found no room in the memory waits on the queue, in ms: others end in the meantime. */
const NO_ROOM_RETRY_MS = 5_000;

/** The person reads that the question waits; another delivery, perhaps in another process, finds room. */
export async function waitForRoom(work: Work, reply: Reply, thinking: Thinking): Promise<Verdict> {
  work.deps.log('answer.no_room');
  thinking.leave();
  return waitOnQueue(work, reply, { kind: 'later', afterMs: NO_ROOM_RETRY_MS });
}

/** It needs more memory than is to be had here: a process that has no other task goes on with it at once. */
export async function move(work: Work, reply: Reply, thinking: Thinking): Promise<Verdict> {
  const { turn, claim, deps } = work;
  thinking.leave();
  const isUntouched = await leave(work, reply, false);
  const waits = { receipt: undefined, known: knownOf(work).wish };
  await deps.turns.handBack(turn, claim.fence, { leaseMs: 0, isUntouched, waits });
  return { kind: 'too-large' };
}

/** The question has changed, which the task behind this one deals with. */
export async function makeWay({ turn, claim, deps }: Work): Promise<Verdict> {
  // Should that come to nothing, people are left with a part of an answer that is not stored.
  if (claim.ended) await deps.turns.lookAgain(turn, deps.time.now() + RECONCILE_AFTER_MS);
  await deps.turns.renew(turn, claim.fence, 0);
  return { kind: 'done' };
}

/** Shows no more of the answer; `goesOn`: what shows the work stays. Resolves with whether nothing of it can be anywhere. */
async function leave(work: Work, reply: Reply, goesOn: boolean): Promise<boolean> {
  const posted = await reply.halt(goesOn);
  return isFirst(work) && posted.length === 0 && !reply.doubtful;
}
