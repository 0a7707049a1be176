import type { MessageId, TurnRef } from '../../conversation/index.ts';
import { ThreadGone } from '../platform.ts';
import { persist } from './call-failure.ts';
import type { DiscordDeps } from './deps.ts';
import { removeOne } from './finish.ts';
import type { FindLeftovers } from './leftovers.ts';
import { createMessages } from './messages.ts';
import { type MouthDeps, Unreachable } from './mouth.ts';

const WITHIN_MS = 30_000;

/**
 * Deletes the messages of a turn's answer: those known, then those found. What is deleted already counts as done; what can no
 * longer be reached is left. Rejects as DiscordCall does, or with NotShown.
 */
export async function withdraw(
  deps: DiscordDeps & MouthDeps & { readonly find: FindLeftovers },
  turn: TurnRef,
  posted: readonly MessageId[],
): Promise<void> {
  const { time, find, log } = deps;
  const patience = { time, deadline: time.now() + WITHIN_MS };
  try {
    const messages = createMessages(deps, turn, await deps.ticketFor(turn));
    const found = await persist(() => find(turn), patience);
    for (const id of new Set([...posted, ...found])) await removeOne(id, messages, patience, log);
  } catch (error) {
    // With its place the answer is gone; where only a dead ticket could reach it, it stays with the person.
    if (!(error instanceof ThreadGone) && !(error instanceof Unreachable)) throw error;
  }
}
