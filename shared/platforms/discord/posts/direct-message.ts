import type { Card, UserId } from '../../../domain/index.ts';
import { CannotPostError } from '../../ports/index.ts';
import { refusalKind } from '../api/errors.ts';
import { postOnce, type StartThreadDeps } from './start-thread.ts';

/**
 * Sends a card as a direct message, once for each `key`, or without one for each content: by its nonce within minutes, later by a mark, if it may
 * have been sent since `maybePostedSince` (ms since 1970). Rejects with CannotPostError where the person accepts none.
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
  const channel = await deps.sendForId({ method: 'POST', path: '/users/@me/channels', body: recipient });
  const id = key ?? `${user} ${JSON.stringify(card)}`;
  try {
    await postOnce({ id, channel, maybePostedSince }, card, deps);
  } catch (error) {
    if (refusalKind(error) !== 'user-unreachable') throw error;
    throw new CannotPostError('the person accepts no direct messages', { cause: error });
  }
}
