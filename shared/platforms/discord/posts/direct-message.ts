import type { Card, MessageId, UserId } from '../../../domain/index.ts';
import { CannotPostError } from '../../ports/index.ts';
import type { DiscordRequest } from '../api/call.ts';
import { NO_MENTIONS } from '../api/enums.ts';
import { refusalKind } from '../api/errors.ts';
import { nonceFor } from '../api/nonce.ts';
import { CARD_FLAG, renderCard } from '../blocks/card-components.ts';

/**
 * Sends a card as a direct message. Discord drops a message with the nonce of an earlier one within some minutes: that of `key`,
 * or without one that of the content. Rejects with CannotPostError where the person accepts none.
 */
export async function sendDirectMessage(
  user: UserId,
  card: Card,
  key: string | undefined,
  sendForId: (request: DiscordRequest) => Promise<MessageId>,
): Promise<void> {
  const recipient = { recipient_id: user };
  const channel = await sendForId({ method: 'POST', path: '/users/@me/channels', body: recipient });
  const body = { components: renderCard(card), flags: CARD_FLAG, allowed_mentions: NO_MENTIONS };
  const nonce = nonceFor(key ?? `${user} ${JSON.stringify(body.components)}`);
  try {
    await sendForId({ method: 'POST', path: `/channels/${channel}/messages`, body: { ...body, ...nonce } });
  } catch (error) {
    if (refusalKind(error) !== 'user-unreachable') throw error;
    throw new CannotPostError('the person accepts no direct messages', { cause: error });
  }
}
