import * as v from 'valibot';
import { NO_GUILD, type UserId } from '../../domain/index.ts';
import type { Dynamo } from '../dynamodb/dynamo.ts';
import { numeral } from '../turns/turn-keys.ts';

const DAY_MS = 86_400_000;
/** Kept so long after it was last told. */
const TTL_DAYS = 30;
/** How many are known to have been kept just now. */
const MAX = 1_000;

const shape = v.object({ locale: v.object({ S: v.string() }) });

export type UserLocalesConfig = {
  readonly dynamo: Pick<Dynamo, 'get' | 'put'>;
  readonly table: string;
  readonly now: () => number;
};

/** In the place of chats without a guild: it goes with those when their person is forgotten there, and wherever else they ask. */
export const userLocaleKey = (user: UserId) => ({
  pk: { S: `READER#discord#${NO_GUILD}#${user}` },
  sk: { S: 'LOCALE' },
});

/** What people on Discord read, as their last call said: of a message nobody tells. */
export class UserLocales {
  readonly #config: UserLocalesConfig;
  readonly #kept = new Map<UserId, { readonly locale: string; readonly at: number }>();

  constructor(config: UserLocalesConfig) {
    this.#config = config;
  }

  /** Keeps it for a month; at most one write a day and process while it stays the same. Rejects when the table cannot be reached. */
  async keep(user: UserId, locale: string): Promise<void> {
    const { dynamo, table: TableName, now } = this.#config;
    const [at, before] = [now(), this.#kept.get(user)];
    if (before?.locale === locale && at < before.at + DAY_MS) return;
    const ttl = numeral(at / 1000 + TTL_DAYS * (DAY_MS / 1000));
    await dynamo.put({
      TableName,
      Item: { ...userLocaleKey(user), by: { S: user }, locale: { S: locale }, ttl },
    });
    if (this.#kept.size >= MAX) this.#kept.clear();
    this.#kept.set(user, { locale, at });
  }

  /** A BCP 47 tag. Rejects when the table cannot be reached. */
  async find(user: UserId): Promise<string | undefined> {
    const { dynamo, table: TableName } = this.#config;
    const { Item } = await dynamo.get({ TableName, Key: userLocaleKey(user) });
    const { success, output } = v.safeParse(shape, Item);
    return success ? output.locale.S : undefined;
  }
}
