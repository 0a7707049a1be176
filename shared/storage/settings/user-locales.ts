import * as v from 'valibot';
import { NO_GUILD, type UserId } from '../../domain/index.ts';
import type { Dynamo } from '../dynamodb/dynamo.ts';
import { numberValue } from '../keys/item-keys.ts';

const DAY_MS = 86_400_000;
/** How long a locale is kept after it was last seen. */
const TTL_DAYS = 30;
/** The maximum number of cached users. */
const MAX_CACHED_USERS = 1_000;

const shape = v.object({ locale: v.object({ S: v.string() }) });

export type UserLocalesConfig = {
  readonly dynamo: Pick<Dynamo, 'get' | 'put'>;
  readonly table: string;
  readonly now: () => number;
};

/**
 * Stored with the chats outside of guilds: it is erased with those, and when the person is erased anywhere
 * else.
 */
export const userLocaleKey = (user: UserId) => ({
  pk: { S: `READER#discord#${NO_GUILD}#${user}` },
  sk: { S: 'LOCALE' },
});

/** The locales of Discord users from their last interaction: message events do not contain them. */
export class UserLocales {
  readonly #config: UserLocalesConfig;
  /** Not a `TtlCache`: it saves writes, so the value decides whether an entry counts. */
  readonly #saved = new Map<UserId, { readonly locale: string; readonly at: number }>();

  constructor(config: UserLocalesConfig) {
    this.#config = config;
  }

  /**
   * Stores a locale for a month; at most one write per day and process while it is unchanged. Rejects if the
   * table is unavailable.
   */
  async save(user: UserId, locale: string): Promise<void> {
    const { dynamo, table: TableName, now } = this.#config;
    const [at, before] = [now(), this.#saved.get(user)];
    if (before?.locale === locale && at < before.at + DAY_MS) return;
    const ttl = numberValue(at / 1000 + TTL_DAYS * (DAY_MS / 1000));
    await dynamo.put({
      TableName,
      Item: { ...userLocaleKey(user), by: { S: user }, locale: { S: locale }, ttl },
    });
    if (this.#saved.size >= MAX_CACHED_USERS) this.#saved.clear();
    this.#saved.set(user, { locale, at });
  }

  /** Returns a BCP 47 tag. Rejects if the table is unavailable. */
  async find(user: UserId): Promise<string | undefined> {
    const { dynamo, table: TableName } = this.#config;
    const { Item } = await dynamo.get({ TableName, Key: userLocaleKey(user) });
    const { success, output } = v.safeParse(shape, Item);
    return success ? output.locale.S : undefined;
  }
}
