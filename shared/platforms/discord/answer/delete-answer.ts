import type { MessageId, TurnRef } from '../../../domain/index.ts';
import { ThreadDeletedError } from '../../ports/index.ts';
import { DiscordApiError } from '../api/call.ts';
import { isClosed, getErrorReason, getRefusalKind, retryDiscord } from '../api/errors.ts';
import type { DiscordDeps, Log } from '../deps.ts';
import type { RetryOptions } from '../../index.ts';
import type { FindOrphans } from './orphaned-messages.ts';
import { createMessages, type Messages } from '../posts/messages.ts';
import { type MessageSenderDeps, ChannelUnreachableError } from '../posts/message-sender.ts';

const TIMEOUT_MS = 30_000;

/**
 * Deletes the messages of a turn's answer: the posted ones, then those that a search finds. A message that is already deleted counts
 * as done; one that can no longer be reached stays. Rejects as DiscordCall does, or with RetryTimeoutError.
 */
export async function deleteAnswer(
  deps: DiscordDeps & MessageSenderDeps & { readonly find: FindOrphans },
  turn: TurnRef,
  posted: readonly MessageId[],
): Promise<void> {
  const { time, find, log } = deps;
  const retry = { time, deadline: time.now() + TIMEOUT_MS };
  try {
    const messages = createMessages(deps, turn, await deps.findInteractionToken(turn));
    const orphans = await retryDiscord(() => find(turn), retry);
    for (const id of new Set([...posted, ...orphans])) await deleteMessage(id, messages, retry, log);
  } catch (error) {
    // The answer is gone with its channel. A message that only an expired token could reach stays.
    if (!(error instanceof ThreadDeletedError) && !(error instanceof ChannelUnreachableError)) throw error;
  }
}

/** Deletes a message. One that is already deleted counts as done; a message that Discord does not let the bot delete is logged. */
export async function deleteMessage(
  id: MessageId,
  messages: Pick<Messages, 'remove'>,
  retry: RetryOptions,
  log: Log | undefined,
): Promise<void> {
  try {
    await retryDiscord(() => messages.remove(id), retry);
  } catch (error) {
    if (!(error instanceof DiscordApiError) && !isClosed(error)) throw error;
    if (getRefusalKind(error) !== 'message-not-found')
      log?.('discord.message-delete-failed', { reason: getErrorReason(error) });
  }
}
