import * as v from 'valibot';
import { messageId, type InteractionToken, type TurnRef, type UserId } from '../../domain/index.ts';
import type { Dynamo } from '../dynamodb/dynamo.ts';
import { interactionTokenKey } from './interaction-token-item.ts';

const text = v.object({ S: v.string() });
const number = v.pipe(
  v.object({ N: v.string() }),
  v.transform(({ N }) => Number(N)),
);
const shape = v.object({ token: text, id: text, until: number, locale: v.optional(text) });

export type InteractionTokensConfig = {
  readonly dynamo: Pick<Dynamo, 'get'>;
  readonly table: string;
  readonly now: () => number;
};

/** The interaction tokens that a front has stored. */
export class InteractionTokens {
  readonly #config: InteractionTokensConfig;

  constructor(config: InteractionTokensConfig) {
    this.#config = config;
  }

  /**
   * Returns the token for the answer of a turn, or with `to` for ephemeral messages to that person; undefined
   * if it has expired.
   */
  async find(
    { thread, message }: Pick<TurnRef, 'thread' | 'message'>,
    to?: UserId,
  ): Promise<InteractionToken | undefined> {
    const { dynamo, table, now } = this.#config;
    const Key = interactionTokenKey(thread, message, to);
    const { Item } = await dynamo.get({ TableName: table, Key, ConsistentRead: true });
    if (!Item) return undefined;
    const { token, id, until, locale } = v.parse(shape, Item);
    if (until <= now()) return undefined;
    return { token: token.S, id: messageId(id.S), expiresAtMs: until, ...(locale && { locale: locale.S }) };
  }
}
