import {
  listExpiredEntries,
  getMsUntilFree,
  createWindowEntry,
  type RollingWindow,
} from '../../rate-limits/index.ts';
import { type Dynamo, isConditionMet } from '../dynamodb/dynamo.ts';

const TTL_SECONDS = 49 * 3600;

/** The decision about a request. */
export type WindowDecision =
  | { readonly granted: true }
  | { readonly granted: false; readonly retryAfterMs: number };

export type WindowsConfig = {
  readonly dynamo: Dynamo;
  readonly table: string;
  readonly now: () => number;
  /** In [0, 1): distinguishes requests of the same ms. */
  readonly random: () => number;
};

/** Rolling windows in the token table: one item each, with the log of its requests. */
export class RollingWindows {
  readonly #config: WindowsConfig;
  // A log that was full stays full until its oldest entry expires.
  readonly #fullUntil = new Map<string, number>();

  constructor(config: WindowsConfig) {
    this.#config = config;
  }

  /**
   * Logs a request that will be sent within `SEND_TIMEOUT_MS`. One write; if the log is full, one read, and two
   * more writes if entries have expired. No operation if the log is known to be full. Rejects if the table is
   * unavailable: an entry may then be lost until the window has passed, never doubled.
   */
  async take(key: string, window: RollingWindow): Promise<WindowDecision> {
    const { now, random } = this.#config;
    const at = now();
    const until = this.#fullUntil.get(key) ?? 0;
    if (at < until) return { granted: false, retryAfterMs: until - at };
    const place = createWindowEntry(at, Math.floor(random() * 100_000));
    if (await this.#add(key, window, place)) return { granted: true };
    const log = await this.#read(key);
    const dead = listExpiredEntries(log, window, at);
    if (dead.length > 0) {
      await this.#drop(key, dead);
      if (await this.#add(key, window, place)) return { granted: true };
    }
    const alive = log.filter((one) => !dead.includes(one));
    const retryAfterMs = alive.length > 0 ? getMsUntilFree(alive, window, at) : 1_000;
    if (dead.length === 0) this.#fullUntil.set(key, at + retryAfterMs);
    return { granted: false, retryAfterMs };
  }

  /** Idempotent for the same entry. */
  #add(key: string, { requests }: RollingWindow, place: string): Promise<boolean> {
    return this.#update(
      key,
      'ADD #log :place SET #ttl = :ttl',
      'attribute_not_exists(#log) OR size(#log) < :most OR contains(#log, :one)',
      {
        ':place': { NS: [place] },
        ':one': { N: place },
        ':most': { N: String(requests) },
        ':ttl': { N: String(Math.floor(this.#config.now() / 1000) + TTL_SECONDS) },
      },
      { '#log': 'log', '#ttl': 'ttl' },
    );
  }

  async #drop(key: string, dead: readonly string[]): Promise<void> {
    await this.#update(
      key,
      'DELETE #log :dead',
      'attribute_exists(#log)',
      { ':dead': { NS: [...dead] } },
      {
        '#log': 'log',
      },
    );
  }

  async #update(
    key: string,
    change: string,
    condition: string,
    values: NonNullable<Parameters<Dynamo['update']>[0]['ExpressionAttributeValues']>,
    names: Record<string, string>,
  ): Promise<boolean> {
    return isConditionMet(
      this.#config.dynamo.update({
        TableName: this.#config.table,
        Key: { pk: { S: key } },
        UpdateExpression: change,
        ConditionExpression: condition,
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: values,
      }),
    );
  }

  async #read(key: string): Promise<readonly string[]> {
    const { dynamo, table } = this.#config;
    const { Item } = await dynamo.get({ TableName: table, Key: { pk: { S: key } }, ConsistentRead: true });
    return Item?.['log']?.NS ?? [];
  }
}
