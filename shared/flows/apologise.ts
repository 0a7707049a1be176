import { type ApologiseTask, type Ending, turnOf } from '../conversation/index.ts';
import { RECONCILE_AFTER_MS, showOnce } from './answer.ts';
import { LEASE_MS } from './lease.ts';
import type { Deps, Verdict } from './ports.ts';
import { GAVE_UP } from './sentences.ts';

/**
 * The queue gave a question up: its every delivery failed. The person is told, once, and the question stays in the
 * thread's history. An answer that was stored but not shown is shown instead.
 */
export async function apologise(
  task: ApologiseTask,
  deps: Pick<Deps, 'turns' | 'platform' | 'time'>,
): Promise<Verdict> {
  const turn = turnOf(task);
  const claim = await deps.turns.claim(turn, LEASE_MS);
  if (claim.kind === 'gone') return { kind: 'done' };
  if (claim.kind === 'taken')
    return { kind: 'later', afterMs: Math.max(1_000, claim.untilMs - deps.time.now()) };

  const ending: Ending = claim.ended?.ending ?? { kind: 'failed', reason: 'gave-up', text: `_${GAVE_UP}_` };
  const lookAt = deps.time.now() + RECONCILE_AFTER_MS;
  if (claim.ended) await deps.turns.lookAgain(turn, lookAt);
  else {
    const past = await deps.turns.past(turn);
    const said = { message: turn.message, question: task.question, ending };
    await deps.turns.commit(turn, claim.fence, said, { from: past.from, number: past.number }, lookAt);
  }
  await showOnce(turn, ending, claim.posted, deps);
  return { kind: 'done' };
}
