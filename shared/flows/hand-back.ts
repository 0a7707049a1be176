import type { TurnRef } from '../conversation/index.ts';
import type { Reply } from '../platforms/platform.ts';
import type { HeldClaim } from './claimed.ts';
import { LEASE_MS } from './lease.ts';
import type { Delivery, Deps, Verdict } from './ports.ts';
import type { Thinking } from './thinking.ts';

/** A claimed turn that another delivery is to go on with. */
type Held = {
  readonly turn: TurnRef;
  readonly claim: HeldClaim;
  readonly deps: Pick<Deps, 'turns' | 'log'>;
  readonly delivery: Delivery;
};

/** Nothing of the answer can be anywhere: a process that died may have shown signs of it before it had a claim. */
export const isFirst = ({ claim, delivery }: Held): boolean => claim.isFirst && delivery.afterCrash !== true;

/** How long a question that found no room in the memory waits on the queue, in ms: others end in the meantime. */
const NO_ROOM_RETRY_MS = 5_000;

/** The person reads that the question waits; another delivery, perhaps in another process, finds room. */
export async function comeBack(work: Held, reply: Reply, thinking: Thinking): Promise<Verdict> {
  work.deps.log('answer.no_room');
  thinking.leave();
  await giveBack(work, reply);
  return { kind: 'later', afterMs: NO_ROOM_RETRY_MS };
}

/** It needs more memory than is to be had here: a process that has no other task goes on with it at once. */
export async function move(work: Held, reply: Reply, thinking: Thinking): Promise<Verdict> {
  thinking.leave();
  await giveBack(work, reply);
  return { kind: 'too-large' };
}

/** Another delivery goes on with the turn; with `turnInMs` it waits in the queue of a key. */
export async function giveBack(work: Held, reply: Reply, turnInMs?: number): Promise<void> {
  const posted = await reply.halt(turnInMs !== undefined);
  const isUntouched = isFirst(work) && posted.length === 0 && !reply.doubtful;
  // While it waits in the queue it counts as being answered, so that people can stop it.
  const leaseMs = turnInMs === undefined ? 0 : turnInMs + LEASE_MS;
  await work.deps.turns.handBack(work.turn, work.claim.fence, { leaseMs, isUntouched });
}
