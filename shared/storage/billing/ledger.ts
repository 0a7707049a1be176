import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { type BudgetLimit, RESERVATION_TTL_MS } from '../../billing/budgets/index.ts';
import {
  ACCOUNT_DAYS,
  type AccountCounters,
  type Booking,
  createCounterUpdates,
  type UsageCounters,
  readUsageCounters,
} from './accounts.ts';
import { countOnce } from '../dynamodb/update-parts.ts';
import { ConditionFailedError, type Dynamo } from '../dynamodb/dynamo.ts';

/** The key of an account: the workspace's partition, and the name from `getAccountName`. */
export type AccountKey = { readonly partition: string; readonly account: string };

/** A reservation of an amount for one request. */
export type ReservationRequest = {
  readonly id: string;
  readonly atto: bigint;
  readonly limit: BudgetLimit;
  readonly untilMs: number;
};

export type ReservationResult = { readonly reserved: boolean; readonly counters: AccountCounters };

export type LedgerConfig = {
  readonly dynamo: Dynamo;
  /** The `conversations` table: accounts are listed by day, which needs its sort key. */
  readonly table: string;
  readonly now: () => number;
};

/** How often a reset of a busy account is tried. */
const MAX_RESET_ATTEMPTS = 20;

/**
 * The expenses and reservations of accounts, one item each. Every change is one conditional update with the id
 * of its request, so that it counts once, however often it arrives.
 *
 * The reservation of a request that never ends, because its worker crashed, counts as spent. Nobody has to find
 * it; it is removed at the next booking after its expiry.
 */
export class Ledger {
  readonly #config: LedgerConfig;

  constructor(config: LedgerConfig) {
    this.#config = config;
  }

  /**
   * Reserves an amount if the account stays within its limit. Rejects if the table is unavailable: release it
   * then.
   */
  async reserve(
    key: AccountKey,
    { id, atto, limit, untilMs }: ReservationRequest,
  ): Promise<ReservationResult> {
    const room = [
      ...(limit.atto === undefined ? [] : ['(attribute_not_exists(#used) OR #used <= :room)']),
      ...(limit.requests === undefined ? [] : ['(attribute_not_exists(#n) OR #n < :most)']),
    ];
    const left = (limit.atto ?? atto) - atto;
    if (left >= 0n && (limit.requests ?? 1) > 0) {
      const item = await this.#update(
        key,
        'SET #used = if_not_exists(#used, :zero) + :atto, #n = if_not_exists(#n, :zero) + :one, #hold = :hold, #ttl = :ttl',
        ['attribute_not_exists(#hold)', ...room].join(' AND '),
        { '#hold': reservationName(id) },
        {
          ':zero': { N: '0' },
          ':one': { N: '1' },
          ':atto': { N: String(atto) },
          ':hold': { S: `${atto}@${untilMs}` },
          ':ttl': { N: String(this.#expiry()) },
          ...(limit.atto === undefined ? {} : { ':room': { N: String(left) } }),
          ...(limit.requests === undefined ? {} : { ':most': { N: String(limit.requests) } }),
        },
      );
      if (item) return { reserved: true, counters: this.#count(key, item) };
    }
    const item = await this.#read(key);
    return { reserved: item[reservationName(id)] !== undefined, counters: this.#count(key, item) };
  }

  /**
   * Replaces a reservation with the actual cost. Returns what is spent, without what requests in progress may cost. Undefined if that
   * was done before, or the reservation has expired.
   */
  async settle(key: AccountKey, reservedAtto: bigint, booking: Booking): Promise<UsageCounters | undefined> {
    const { sets, names, values } = createCounterUpdates(booking);
    const item = await this.#update(
      key,
      `SET #used = #used + :delta, ${sets} REMOVE #hold`,
      'attribute_exists(#hold)',
      { ...names, '#hold': reservationName(booking.id) },
      { ...values, ':delta': { N: String(booking.atto - reservedAtto) } },
    );
    if (!item) return undefined;
    await this.#forgetLost(key, item);
    const { openAtto, ...counters } = this.#count(key, item);
    return { ...counters, atto: counters.atto - openAtto };
  }

  /** Releases the reservation of a request that failed. */
  async release(key: AccountKey, id: string, reservedAtto: bigint): Promise<void> {
    await this.#update(
      key,
      'SET #used = #used - :atto, #n = #n - :one REMOVE #hold',
      'attribute_exists(#hold)',
      { '#hold': reservationName(id) },
      { ':atto': { N: String(reservedAtto) }, ':one': { N: '1' } },
    );
  }

  /** Books a request on an account without a budget. There is no reservation that could show that it was booked. */
  async book(key: AccountKey, booking: Booking): Promise<void> {
    const { sets, names, values } = createCounterUpdates(booking);
    const once = countOnce(booking.id, this.#config.now());
    await this.#update(
      key,
      `SET #used = if_not_exists(#used, :zero) + :delta, #n = if_not_exists(#n, :zero) + :one, #last = :id, #ttl = :ttl, ${sets} ADD ${once.add} REMOVE ${once.remove}`,
      ['(attribute_not_exists(#last) OR #last <> :id)', ...once.conditions].join(' AND '),
      { ...names, ...once.names, '#last': 'last' },
      {
        ...values,
        ...once.values,
        ':delta': { N: String(booking.atto) },
        ':id': { S: booking.id },
        ':one': { N: '1' },
        ':ttl': { N: String(this.#expiry()) },
      },
    );
  }

  /** Counts a question that has no answer. `id`: the same question within half a minute counts once. */
  async countFailure(key: AccountKey, id: string): Promise<void> {
    const once = countOnce(id, this.#config.now());
    await this.#update(
      key,
      `SET #failures = if_not_exists(#failures, :zero) + :one, #ttl = :ttl ADD ${once.add} REMOVE ${once.remove}`,
      once.conditions.join(' AND '),
      { ...once.names, '#failures': 'failures' },
      {
        ...once.values,
        ':zero': { N: '0' },
        ':one': { N: '1' },
        ':ttl': { N: String(this.#expiry()) },
      },
    );
  }

  /** Resolves with whether this is the first caller: people are warned once per period. */
  async claimWarning(key: AccountKey): Promise<boolean> {
    const change = 'SET #warned = :one';
    const names = { '#warned': 'warned' };
    return (
      (await this.#update(key, change, 'attribute_not_exists(#warned)', names, { ':one': { N: '1' } })) !==
      undefined
    );
  }

  /**
   * Resets the expenses. Reservations of running requests stay and count when they end. Rejects if the account
   * is booked all the time.
   */
  async reset(key: AccountKey): Promise<void> {
    for (let attempt = 0; attempt < MAX_RESET_ATTEMPTS; attempt += 1) if (await this.#tryReset(key)) return;
    throw new Error('the account is too busy to be reset');
  }

  async #tryReset(key: AccountKey): Promise<boolean> {
    const item = await this.#read(key);
    if (item['used'] === undefined) return true;
    const { running = [], lost = [] } = Object.groupBy(listReservations(item), ({ untilMs }) =>
      untilMs > this.#config.now() ? 'running' : 'lost',
    );
    const open = running.reduce((sum, one) => sum + one.atto, 0n);
    // The requests are compared too: a request without a known price does not change the sum.
    const before = { ':before': item['used'], ':asked': item['n'] ?? { N: '0' } };
    // A lost one no longer counts: its request may end all the same, and must not be taken off.
    const lostNames = Object.fromEntries(lost.map(({ name }, at) => [`#lost${at}`, name]));
    const emptied = await this.#update(
      key,
      `SET #used = :open, #n = :held REMOVE ${['#warned', ...Object.keys(lostNames)].join(', ')}`,
      '#used = :before AND #n = :asked',
      { '#warned': 'warned', ...lostNames },
      { ':open': { N: String(open) }, ':held': { N: String(running.length) }, ...before },
    );
    return emptied !== undefined;
  }

  async read(key: AccountKey): Promise<UsageCounters> {
    return readUsageCounters(key.account, await this.#read(key));
  }

  /** Returns the accounts of a workspace between two names, both included, at most `limit`. */
  async list(partition: string, first: string, last: string, limit: number): Promise<UsageCounters[]> {
    const accounts: UsageCounters[] = [];
    let from: Item | undefined;
    do {
      const { Items = [], LastEvaluatedKey } = await this.#config.dynamo.query({
        TableName: this.#config.table,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
        ExpressionAttributeValues: { ':pk': { S: partition }, ':first': { S: first }, ':last': { S: last } },
        Limit: limit,
        ...(from && { ExclusiveStartKey: from }),
      });
      accounts.push(...Items.map((item) => readUsageCounters(item['sk']?.S ?? '', item)));
      from = LastEvaluatedKey;
    } while (from && accounts.length < limit);
    return accounts.slice(0, limit);
  }

  /** The reservation of a crashed worker stays spent; only its attribute is removed. */
  async #forgetLost(key: AccountKey, item: Item): Promise<void> {
    const lost = listReservations(item).filter(({ untilMs }) => untilMs < this.#config.now());
    if (lost.length === 0) return;
    const names = Object.fromEntries(lost.map(({ name }, at) => [`#lost${at}`, name]));
    const change = `REMOVE ${Object.keys(names).join(', ')}`;
    await this.#update(key, change, 'attribute_exists(#used)', names, {}).catch(() => undefined);
  }

  #count({ account }: AccountKey, item: Item): AccountCounters {
    const now = this.#config.now();
    // The price of a video, whose reservation is longer, hardly ever comes back.
    const isOpen = (untilMs: number): boolean => untilMs > now && untilMs <= now + RESERVATION_TTL_MS;
    const running = listReservations(item).filter(({ untilMs }) => isOpen(untilMs));
    const openAtto = running.reduce((sum, { atto }) => sum + atto, 0n);
    return { ...readUsageCounters(account, item), openAtto };
  }

  async #update(
    { partition, account }: AccountKey,
    change: string,
    condition: string,
    names: Readonly<Record<string, string>>,
    values: Item,
  ): Promise<Item | undefined> {
    const all: Readonly<Record<string, string>> = { '#used': 'used', '#n': 'n', '#ttl': 'ttl', ...names };
    const used = Object.entries(all).filter(([name]) =>
      `${change} ${condition}`.match(new RegExp(`${name}\\b`)),
    );
    try {
      const { Attributes = {} } = await this.#config.dynamo.update({
        TableName: this.#config.table,
        Key: { pk: { S: partition }, sk: { S: account } },
        UpdateExpression: change,
        ConditionExpression: condition,
        ExpressionAttributeNames: Object.fromEntries(used),
        ...(Object.keys(values).length > 0 ? { ExpressionAttributeValues: values } : {}),
        ReturnValues: 'ALL_NEW',
      });
      return Attributes;
    } catch (error) {
      if (error instanceof ConditionFailedError) return undefined;
      throw error;
    }
  }

  async #read({ partition, account }: AccountKey): Promise<Item> {
    const { dynamo, table } = this.#config;
    const key = { pk: { S: partition }, sk: { S: account } };
    const { Item: item = {} } = await dynamo.get({ TableName: table, Key: key, ConsistentRead: true });
    return item;
  }

  #expiry(): number {
    return Math.floor(this.#config.now() / 1000) + ACCOUNT_DAYS * 86_400;
  }
}

type Item = Record<string, AttributeValue>;

const RESERVATION_PREFIX = 'hold_';
const reservationName = (id: string): string => RESERVATION_PREFIX + id;

function listReservations(item: Item) {
  return Object.entries(item).flatMap(([name, value]) => {
    const [atto = '0', until = '0'] = (value.S ?? '').split('@');
    return name.startsWith(RESERVATION_PREFIX) ? [{ name, atto: BigInt(atto), untilMs: Number(until) }] : [];
  });
}
