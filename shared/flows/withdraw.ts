import type { TurnRef } from '../conversation/index.ts';
import type { HeldClaim } from './claimed.ts';
import { leftoversOf } from './leftovers.ts';
import { takeDownFollowUps } from './take-down.ts';
import type { Deps, Verdict } from './ports.ts';
import { RECONCILE_AFTER_MS } from './respond.ts';
import { leaveQueue } from './wait-in-queue.ts';

/** Nothing is left of the question: its answer goes, then both leave the history. Broken off, it begins again. */
export async function withdraw(
  turn: TurnRef,
  claim: HeldClaim,
  deps: Pick<Deps, 'turns' | 'marks' | 'platform' | 'stage' | 'time' | 'log'> & Partial<Pick<Deps, 'slots'>>,
): Promise<Verdict> {
  if (claim.fence > 1) await leaveQueue(turn, deps);
  await takeDownFollowUps(turn.thread, claim.followUps, deps);
  // An attempt that died may have left a message that nobody has written down.
  const left = claim.fence > 1 ? (await leftoversOf(turn, deps)).messages : [];
  const certain = claim.fence === 1 && claim.ended !== undefined;
  await deps.platform.withdraw(turn, [...new Set([...claim.posted, ...left])], certain);
  if (claim.fence > 1) {
    // An attempt at an answer that died, or waits in line, may have left its signs of work standing, or a message on its way.
    await Promise.all([deps.platform.status(turn, ''), deps.platform.reply(turn, []).halt()]);
    await deps.turns.empty(turn, claim.fence, deps.time.now() + RECONCILE_AFTER_MS);
  } else await deps.turns.remove(turn, claim.fence);
  return { kind: 'done' };
}
