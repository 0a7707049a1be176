import { type ReconcileTask, turnOf, type TurnRef } from '../conversation/index.ts';
import { claimed, type HeldClaim } from './claimed.ts';
import { leftoversOf } from './leftovers.ts';
import type { Delivery, Deps, Verdict } from './ports.ts';
import { RECONCILE_AFTER_MS } from './respond.ts';
import { showOnce } from './show-once.ts';

/**
 * Looks once more at an answer that may be visible twice, or in an old state: a worker that died, or a call whose reply
 * was lost, may have left a write on its way that landed after everything else. The platforms know no fence,
 * so the only remedy is to look when nothing can be on its way any more. A look that was broken off may itself have left
 * something, and is followed by another; so is one that the platform did not let take place.
 */
export function reconcile(
  task: ReconcileTask,
  deps: Pick<Deps, 'turns' | 'marks' | 'platform' | 'time' | 'settings'>,
  delivery: Delivery,
): Promise<Verdict> {
  const turn = turnOf(task);
  return claimed(turn, { deps, again: delivery.again }, async (claim) => {
    const certain = await putRight(turn, claim, deps);
    if (delivery.again || !certain) await deps.turns.lookAgain(turn, deps.time.now() + RECONCILE_AFTER_MS);
    else await deps.turns.settle(turn);
    // An answer still to come must not wait for this look's claim to run out.
    await deps.turns.renew(turn, claim.fence, 0).catch(() => undefined);
    return { kind: 'done' };
  });
}

/** Whether nothing is left to be looked for. */
async function putRight(
  turn: TurnRef,
  { ended, posted, mark }: HeldClaim,
  deps: Parameters<typeof reconcile>[1],
): Promise<boolean> {
  if (ended) return showOnce(turn, ended, posted, deps);
  if (mark !== 'deleted') return true;
  const { messages, unsearched } = await leftoversOf(turn, deps);
  await deps.platform.withdraw(turn, [...posted, ...messages]);
  return !unsearched;
}
