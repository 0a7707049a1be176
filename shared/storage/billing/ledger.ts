import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { BudgetLimit } from '../../billing/budgets/index.ts';
import { ACCOUNT_DAYS } from './account-names.ts';
import { ConditionFailed, type Dynamo } from '../dynamodb/dynamo.ts';
import { type Booking, counters, type UsageCounters, readUsageCounters } from './usage-counters.ts';

/** Where an account lies: the workspace, and what `accountKeyOf` names. */
export type AccountKey = { readonly book: string; readonly account: string };

/** What may be reserved: this amount, for one request. */
export type Reserving = {
  readonly id: string;
  readonly atto: bigint;
  readonly most: BudgetLimit;
  readonly untilMs: number;
};

export type Reserved = { readonly reserved: boolean; readonly tally: UsageCounters };

export type LedgerConfig = {
  readonly dynamo: Dynamo;
  /** The table of conversations: accounts are listed by day, which takes its sort key. */
  readonly table: string;
  readonly now: () => number;
};

/** How often it is tried to reset an account that others book on. */
const RESETS = 20;

/**
 * What was spent and is reserved, in one item for each account. Every change is one conditional update that names its
 * call, so that it counts once however often it arrives.
 *
 * The rule for a call that never ends, because its worker died: what was reserved for it counts as spent. Nobody has to
 * find it; its mark is removed when the account is next booked after its time.
 */
export class Ledger {
  readonly #config: LedgerConfig;

  constructor(config: LedgerConfig) {
    this.#config = config;
  }

  /** Reserves, if the account then holds no more than it may. Rejects when the table does: release it then. */
  async reserve(key: AccountKey, { id, atto, most, untilMs }: Reserving): Promise<Reserved> {
    const room = [
      ...(most.atto === undefined ? [] : ['(attribute_not_exists(#used) OR #used <= :room)']),
      ...(most.requests === undefined ? [] : ['(attribute_not_exists(#n) OR #n < :most)']),
    ];
    const left = (most.atto ?? atto) - atto;
    if (left >= 0n && (most.requests ?? 1) > 0) {
      const item = await this.#update(
        key,
        'SET #used = if_not_exists(#used, :zero) + :atto, #n = if_not_exists(#n, :zero) + :one, #hold = :hold, #ttl = :ttl',
        ['attribute_not_exists(#hold)', ...room].join(' AND '),
        { '#hold': holdName(id) },
        {
          ':zero': { N: '0' },
          ':one': { N: '1' },
          ':atto': { N: String(atto) },
          ':hold': { S: `${atto}@${untilMs}` },
          ':ttl': { N: String(this.#expiry()) },
          ...(most.atto === undefined ? {} : { ':room': { N: String(left) } }),
          ...(most.requests === undefined ? {} : { ':most': { N: String(most.requests) } }),
        },
      );
      if (item) return { reserved: true, tally: readUsageCounters(key.account, item) };
    }
    const item = await this.#read(key);
    return { reserved: item[holdName(id)] !== undefined, tally: readUsageCounters(key.account, item) };
  }

  /** Books what the call cost in place of what was reserved for it. Undefined if that was done, or is past its time. */
  async settle(key: AccountKey, reservedAtto: bigint, booking: Booking): Promise<UsageCounters | undefined> {
    const { sets, names, values } = counters(booking);
    const item = await this.#update(
      key,
      `SET #used = #used + :delta, ${sets} REMOVE #hold`,
      'attribute_exists(#hold)',
      { ...names, '#hold': holdName(booking.id) },
      { ...values, ':delta': { N: String(booking.atto - reservedAtto) } },
    );
    if (!item) return undefined;
    await this.#forgetLost(key, item);
    return readUsageCounters(key.account, item);
  }

  /** Gives back what was reserved for a call that came to nothing. */
  async release(key: AccountKey, id: string, reservedAtto: bigint): Promise<void> {
    await this.#update(
      key,
      'SET #used = #used - :atto, #n = #n - :one REMOVE #hold',
      'attribute_exists(#hold)',
      { '#hold': holdName(id) },
      { ':atto': { N: String(reservedAtto) }, ':one': { N: '1' } },
    );
  }

  /** Books a call on an account that has no budget. */
  async book(key: AccountKey, booking: Booking): Promise<void> {
    const { sets, names, values } = counters(booking);
    await this.#update(
      key,
      `SET #used = if_not_exists(#used, :zero) + :delta, #n = if_not_exists(#n, :zero) + :one, #last = :id, #ttl = :ttl, ${sets}`,
      'attribute_not_exists(#last) OR #last <> :id',
      { ...names, '#last': 'last' },
      {
        ...values,
        ':delta': { N: String(booking.atto) },
        ':id': { S: booking.id },
        ':one': { N: '1' },
        ':ttl': { N: String(this.#expiry()) },
      },
    );
  }

  /** Whether this is the first to ask: people are warned once in a period. */
  async warnsFirst(key: AccountKey): Promise<boolean> {
    const change = 'SET #warned = :one';
    const names = { '#warned': 'warned' };
    return (
      (await this.#update(key, change, 'attribute_not_exists(#warned)', names, { ':one': { N: '1' } })) !==
      undefined
    );
  }

  /**
   * Begins anew: nothing is spent. What is reserved by calls under way stays so, and counts once they end. Rejects when the
   * account is booked on all the while.
   */
  async reset(key: AccountKey): Promise<void> {
    for (let tries = 0; tries < RESETS; tries += 1) if (await this.#emptied(key)) return;
    throw new Error('the account is too busy to be reset');
  }

  async #emptied(key: AccountKey): Promise<boolean> {
    const item = await this.#read(key);
    if (item['used'] === undefined) return true;
    const held = holdsIn(item).filter(({ untilMs }) => untilMs > this.#config.now());
    const open = held.reduce((sum, one) => sum + one.atto, 0n);
    // The requests too: a call whose price is not known leaves the sum as it is.
    const before = { ':before': item['used'], ':asked': item['n'] ?? { N: '0' } };
    const emptied = await this.#update(
      key,
      'SET #used = :open, #n = :held REMOVE #warned',
      '#used = :before AND #n = :asked',
      { '#warned': 'warned' },
      { ':open': { N: String(open) }, ':held': { N: String(held.length) }, ...before },
    );
    return emptied !== undefined;
  }

  async tally(key: AccountKey): Promise<UsageCounters> {
    return readUsageCounters(key.account, await this.#read(key));
  }

  /** The accounts of a book from one name to another, both included, at most `most`. */
  async list(book: string, first: string, last: string, most: number): Promise<UsageCounters[]> {
    const found: UsageCounters[] = [];
    let from: Item | undefined;
    do {
      const { Items = [], LastEvaluatedKey } = await this.#config.dynamo.query({
        TableName: this.#config.table,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
        ExpressionAttributeValues: { ':pk': { S: book }, ':first': { S: first }, ':last': { S: last } },
        Limit: most,
        ...(from && { ExclusiveStartKey: from }),
      });
      found.push(...Items.map((item) => readUsageCounters(item['sk']?.S ?? '', item)));
      from = LastEvaluatedKey;
    } while (from && found.length < most);
    return found.slice(0, most);
  }

  /** What a died worker reserved stays spent; only its mark goes. */
  async #forgetLost(key: AccountKey, item: Item): Promise<void> {
    const lost = holdsIn(item).filter(({ untilMs }) => untilMs < this.#config.now());
    if (lost.length === 0) return;
    const names = Object.fromEntries(lost.map(({ name }, at) => [`#lost${at}`, name]));
    const change = `REMOVE ${Object.keys(names).join(', ')}`;
    await this.#update(key, change, 'attribute_exists(#used)', names, {}).catch(() => undefined);
  }

  async #update(
    { book, account }: AccountKey,
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
        Key: { pk: { S: book }, sk: { S: account } },
        UpdateExpression: change,
        ConditionExpression: condition,
        ExpressionAttributeNames: Object.fromEntries(used),
        ...(Object.keys(values).length > 0 ? { ExpressionAttributeValues: values } : {}),
        ReturnValues: 'ALL_NEW',
      });
      return Attributes;
    } catch (error) {
      if (error instanceof ConditionFailed) return undefined;
      throw error;
    }
  }

  async #read({ book, account }: AccountKey): Promise<Item> {
    const { dynamo, table } = this.#config;
    const key = { pk: { S: book }, sk: { S: account } };
    const { Item: item = {} } = await dynamo.get({ TableName: table, Key: key, ConsistentRead: true });
    return item;
  }

  #expiry(): number {
    return Math.floor(this.#config.now() / 1000) + ACCOUNT_DAYS * 86_400;
  }
}

type Item = Record<string, AttributeValue>;

const HOLD = 'hold_';
const holdName = (id: string): string => HOLD + id;

function holdsIn(item: Item) {
  return Object.entries(item).flatMap(([name, value]) => {
    const [atto = '0', until = '0'] = (value.S ?? '').split('@');
    return name.startsWith(HOLD) ? [{ name, atto: BigInt(atto), untilMs: Number(until) }] : [];
  });
}
