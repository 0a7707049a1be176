import type { Card, UserId } from '../../../domain/index.ts';
import { isFinalRefusal, toCannotPostError } from '../api/errors.ts';
import { postOnce, type StartThreadDeps } from './start-thread.ts';

/**
 * Sends a card as a direct message, once for each `key`, or without one for each content: by its nonce within minutes, later by a mark, if it may
 * have been sent since `maybePostedSince` (ms since 1970). Rejects with CannotPostError where Discord refuses it for good: the person accepts none, is a bot, or
 * has deleted their account, which Discord reports when the chat is opened (docs:topics/opcodes-and-status-codes#json), or a filter blocks the words.
 */
export async function sendDirectMessage(
  user: UserId,
  card: Card,
  {
    key,
    maybePostedSince,
  }: { readonly key?: string | undefined; readonly maybePostedSince?: number | undefined },
  deps: StartThreadDeps,
): Promise<void> {
  const recipient = { recipient_id: user };
  try {
    const channel = await deps.sendForId({ method: 'POST', path: '/users/@me/channels', body: recipient });
    const id = key ?? `${user} ${JSON.stringify(card)}`;
    await postOnce({ id, channel, maybePostedSince }, card, deps);
  } catch (error) {
    throw isFinalRefusal(error) ? toCannotPostError(error) : error;
  }
}
