import { type ApologiseTask, type Ending, turnOf } from '../conversation/index.ts';
import { claimed } from './claimed.ts';
import { foldedInto } from './folded.ts';
import type { Delivery, Deps, Verdict } from './ports.ts';
import { RECONCILE_AFTER_MS } from './respond.ts';
import { say } from '../texts/index.ts';
import { aside } from './notices.ts';
import { showOnce } from './show-once.ts';
import { withdraw } from './withdraw.ts';
import { localeOfTurn } from './locale.ts';

/**
 * The queue gave a question up: its every delivery failed. The person is told, once, and the question stays in the
 * thread's history. An answer that was stored but not shown is shown instead; one that is due to others' work is left.
 */
export function apologise(
  task: ApologiseTask,
  deps: Pick<Deps, 'turns' | 'marks' | 'platform' | 'stage' | 'time' | 'settings' | 'log'>,
  delivery: Pick<Delivery, 'again'>,
): Promise<Verdict> {
  const turn = turnOf(task);
  return claimed(turn, { deps, again: delivery.again }, async (claim) => {
    const left = claim.into || claim.mark === 'edited' || claim.mark === 'deleted';
    if ((left || claim.unreadable) && !claim.ended) return { kind: 'done' };
    const { question } = claim.ended ?? task;
    const text = aside(say(await localeOfTurn(turn, deps), 'answers.gave-up'));
    const ending: Ending = claim.ended?.ending ?? { kind: 'failed', reason: 'gave-up', text };
    const lookAt = deps.time.now() + RECONCILE_AFTER_MS;
    if (claim.ended) await deps.turns.lookAgain(turn, lookAt);
    else {
      const past = await deps.turns.past(turn);
      if (await foldedInto(turn, past, deps)) return { kind: 'done' };
      if (past.closed) return withdraw(turn, claim, deps);
      const said = { message: turn.message, question, ending };
      await deps.turns.commit(turn, claim.fence, said, { from: past.from, number: past.number }, lookAt);
    }
    await showOnce(turn, { question, ending }, claim.posted, deps);
    return { kind: 'done' };
  });
}
