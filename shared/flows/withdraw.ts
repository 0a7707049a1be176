import { turnOf, type TurnRef, type WithdrawTask } from '../conversation/index.ts';
import { claimed, type HeldClaim } from './claimed.ts';
import type { Deps, Verdict } from './ports.ts';

type WithdrawDeps = Pick<Deps, 'turns' | 'platform' | 'time'>;

/** The question was deleted: its answer goes, then both leave the history. Broken off, it begins again. */
export function withdraw(task: WithdrawTask, deps: WithdrawDeps): Promise<Verdict> {
  const turn = turnOf(task);
  return claimed(turn, deps, (claim) => withdrawClaimed(turn, claim, deps));
}

export async function withdrawClaimed(turn: TurnRef, claim: HeldClaim, deps: WithdrawDeps): Promise<Verdict> {
  await deps.platform.withdraw(turn, claim.posted);
  await deps.turns.remove(turn, claim.fence);
  return { kind: 'done' };
}
