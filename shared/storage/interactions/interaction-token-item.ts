import type { Thread, InteractionToken, UserId } from '../../domain/index.ts';
import { type Item, keyOf, numeral } from '../turns/turn-keys.ts';

/** A ticket to answer a message with, or to tell one person something under it. */
export type InteractionTokenPlace = Parameters<typeof keyOf>;

/**
 * Beside its turn, but not among the turns: `TICKET#<message>` for the answer, `TICKET#<message>#<user>` for what one
 * person alone is told.
 */
export function interactionTokenKey(thread: Thread, message: InteractionTokenPlace[1], to?: UserId): Item {
  const { pk, sk } = keyOf(thread, message);
  const of = sk.S.replace(/^TURN/u, 'TICKET');
  return { pk, sk: { S: to === undefined ? of : `${of}#${to}` } };
}

export function interactionTokenItem(
  key: Item,
  { token, id, expiresAtMs: until, locale }: InteractionToken,
): Item {
  return {
    ...key,
    token: { S: token },
    id: { S: id },
    until: numeral(until),
    ...(locale === undefined ? {} : { locale: { S: locale } }),
    ttl: numeral(until / 1000 + 60),
  };
}
