import { type ReconcileTask, turnOf } from '../conversation/index.ts';
import { claimed } from './claimed.ts';
import { leftoversOf } from './leftovers.ts';
import type { Delivery, Deps, Verdict } from './ports.ts';
import { RECONCILE_AFTER_MS } from './respond.ts';
import { showOnce } from './show-once.ts';

/**
 * Looks once more at an answer that may be visible twice, or in an old state: a worker that died, or a call whose reply
 * was lost, may have left a write on its way that landed after everything else. The platforms know no fence,
 * so the only remedy is to look when nothing can be on its way any more. A look that was broken off may itself have left
 * something, and is followed by another.
 */
export function reconcile(
  task: ReconcileTask,
  deps: Pick<Deps, 'turns' | 'marks' | 'platform' | 'time' | 'settings'>,
  delivery: Delivery,
): Promise<Verdict> {
  const turn = turnOf(task);
  return claimed(turn, deps, async (claim) => {
    if (claim.ended) await showOnce(turn, claim.ended, claim.posted, deps);
    else if (claim.mark === 'deleted')
      await deps.platform.withdraw(turn, [...claim.posted, ...(await leftoversOf(turn, deps))]);
    if (delivery.again) await deps.turns.lookAgain(turn, deps.time.now() + RECONCILE_AFTER_MS);
    else await deps.turns.settle(turn);
    // An answer still to come must not wait for this look's claim to run out.
    await deps.turns.renew(turn, claim.fence, 0).catch(() => undefined);
    return { kind: 'done' };
  });
}
