import type { MessageId, TurnRef } from '../../../domain/index.ts';
import { ThreadDeletedError } from '../../ports/platform.ts';
import { retryDiscord } from '../api/errors.ts';
import type { DiscordDeps } from '../deps.ts';
import { removeOne } from './publish.ts';
import type { FindOrphans } from './orphaned-messages.ts';
import { createMessages } from '../api/messages.ts';
import { type MessageSenderDeps, ChannelUnreachable } from '../api/message-sender.ts';

const TIMEOUT_MS = 30_000;

/**
 * Deletes the messages of a turn's answer: those known, then those found. What is deleted already counts as done; what can no
 * longer be reached is left. Rejects as DiscordCall does, or with RetryTimeoutError.
 */
export async function deleteAnswer(
  deps: DiscordDeps & MessageSenderDeps & { readonly find: FindOrphans },
  turn: TurnRef,
  posted: readonly MessageId[],
): Promise<void> {
  const { time, find, log } = deps;
  const patience = { time, deadline: time.now() + TIMEOUT_MS };
  try {
    const messages = createMessages(deps, turn, await deps.ticketFor(turn));
    const found = await retryDiscord(() => find(turn), patience);
    for (const id of new Set([...posted, ...found])) await removeOne(id, messages, patience, log);
  } catch (error) {
    // With its place the answer is gone; where only a dead ticket could reach it, it stays with the person.
    if (!(error instanceof ThreadDeletedError) && !(error instanceof ChannelUnreachable)) throw error;
  }
}
