import type { Card, UserId } from '../../../domain/index.ts';
import { CannotPostError } from '../../ports/index.ts';
import { getRefusalKind } from '../api/errors.ts';
import { postOnce, type StartThreadDeps } from './start-thread.ts';

/**
 * Sends a card as a direct message, once for each `key`, or without one for each content: by its nonce within minutes, later by a mark, if it may
 * have been sent since `maybePostedSince` (ms since 1970). Rejects with CannotPostError where the person accepts none, is a bot, or has deleted their
 * account. Discord reports the last two when the chat is opened: docs:topics/opcodes-and-status-codes#json.
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
    const kind = getRefusalKind(error);
    if (kind !== 'user-unreachable' && kind !== 'member-not-found') throw error;
    throw new CannotPostError('the person accepts no direct messages', { cause: error });
  }
}
