import type { Thread, InteractionToken, UserId } from '../../domain/index.ts';
import { type Item, turnKey, numberValue } from '../keys/item-keys.ts';

/** The turn for which an interaction token is stored. */
export type InteractionTokenTarget = Parameters<typeof turnKey>;

/**
 * Returns the key in the thread's partition, outside of the turns: `TICKET#<message>` for the answer,
 * `TICKET#<message>#<user>` for ephemeral messages to one person.
 */
export function interactionTokenKey(thread: Thread, message: InteractionTokenTarget[1], to?: UserId): Item {
  const { pk, sk } = turnKey(thread, message);
  const of = sk.S.replace(/^TURN/u, 'TICKET');
  return { pk, sk: { S: to === undefined ? of : `${of}#${to}` } };
}

export function createInteractionTokenItem(
  key: Item,
  { token, id, expiresAtMs: until, locale }: InteractionToken,
): Item {
  return {
    ...key,
    token: { S: token },
    id: { S: id },
    until: numberValue(until),
    ...(locale === undefined ? {} : { locale: { S: locale } }),
    ttl: numberValue(until / 1000 + 60),
  };
}
