import type { MessageId, Thread, Turn, TurnRef } from '../conversation/index.ts';
import { messageId } from '../conversation/index.ts';
import { OPEN_INDEX } from '../runtime/names.ts';
import { ConditionFailed, type Dynamo } from './dynamo.ts';
import { readPast, type Past } from './history.ts';
import { pack, unpack } from './pack.ts';
import { type Item, keyOf, LAST, FIRST, readItem, refOf, type TurnItem } from './turn-item.ts';

/** The right to work on a turn: until `leaseMs` after it was given, and only with this fence. */
export type Claim =
  | {
      readonly kind: 'held';
      readonly fence: number;
      /** Messages of the answer that an earlier attempt is known to have posted. */
      readonly posted: readonly MessageId[];
      /** The turn as it ended, if an earlier attempt got that far: all that is left is to show it. */
      readonly ended: Turn | undefined;
    }
  | { readonly kind: 'taken'; readonly untilMs: number }
  | { readonly kind: 'gone' };

/** A turn that needs a later look, and why: it was never queued, or may be visible twice. */
export type Due = { readonly turn: TurnRef; readonly why: 'unsent' | 'reconcile'; readonly question: string };

/** Where a turn stands in its thread: see `Past`. */
export type Place = Pick<Past, 'from' | 'number'>;

export type TurnsConfig = {
  readonly dynamo: Dynamo;
  readonly table: string;
  readonly days: number;
  readonly now: () => number;
};

/** The turns of all threads, in the `conversations` table. Every write is one conditional write of one item. */
export class Turns {
  readonly #dynamo: Dynamo;
  readonly #table: string;
  readonly #days: number;
  readonly #now: () => number;

  constructor({ dynamo, table, days, now }: TurnsConfig) {
    this.#dynamo = dynamo;
    this.#table = table;
    this.#days = days;
    this.#now = now;
  }

  /** Whether the bot takes part in this thread. */
  async knows(thread: Thread): Promise<boolean> {
    // Half a unit finds nearly every thread of ours; only one that began within the second needs the other look.
    const item = (await this.#newest(thread, false)) ?? (await this.#newest(thread, true));
    return item !== undefined && this.#alive(item);
  }

  /** Writes down that this message is to be answered. Repeated for the same message, it changes nothing. */
  async accept(ref: TurnRef): Promise<void> {
    const item = {
      ...keyOf(ref.thread, ref.message),
      id: { S: ref.message },
      by: { S: ref.asker },
      ws: { S: ref.askerWorkspace },
      ttl: numeral(this.#expiry()),
    };
    await unlessRefused(
      this.#dynamo.put({
        TableName: this.#table,
        Item: item,
        ConditionExpression: 'attribute_not_exists(pk)',
      }),
    );
  }

  /** Keeps a question that could not be queued, so that the sweeper queues it. */
  async markUnsent(ref: TurnRef, question: string, dueMs: number): Promise<void> {
    await this.#update(ref, 'SET #open = :why, due = :due, ask = :ask', 'attribute_exists(pk)', {
      ':why': { S: 'unsent' },
      ':due': numeral(dueMs / 1000),
      ':ask': { S: question },
    });
  }

  /**
   * Claims the turn for `leaseMs`. While someone else's claim lasts, says until when. Each claim has a higher fence
   * than the one before, and only the last one's writes are accepted.
   */
  async claim(ref: TurnRef, leaseMs: number): Promise<Claim> {
    const claimed = await unlessRefused(
      this.#update(
        ref,
        'SET lease = :until, fence = if_not_exists(fence, :zero) + :one',
        'attribute_exists(pk) AND (attribute_not_exists(lease) OR lease < :now)',
        {
          ':until': numeral(this.#now() + leaseMs),
          ':now': numeral(this.#now()),
          ':zero': numeral(0),
          ':one': numeral(1),
        },
      ),
    );
    if (claimed) return held(claimed, ref);
    const Key = keyOf(ref.thread, ref.message);
    const { Item } = await this.#dynamo.get({ TableName: this.#table, Key, ConsistentRead: true });
    return Item ? { kind: 'taken', untilMs: readItem(Item).lease ?? 0 } : { kind: 'gone' };
  }

  /** Makes the claim last `leaseMs` from now; 0 gives it back. Rejects with ConditionFailed once it is someone else's. */
  async renew(ref: TurnRef, fence: number, leaseMs: number): Promise<void> {
    const until = leaseMs === 0 ? 0 : this.#now() + leaseMs;
    await this.#update(ref, 'SET lease = :until', 'fence = :fence', {
      ':until': numeral(until),
      ':fence': numeral(fence),
    });
  }

  /** Remembers the messages of the answer. Rejects with ConditionFailed once the claim is someone else's. */
  async savePosted(ref: TurnRef, fence: number, posted: readonly MessageId[]): Promise<void> {
    await this.#update(ref, 'SET posted = :posted', 'fence = :fence', {
      ':posted': { L: posted.map((id) => ({ S: id })) },
      ':fence': numeral(fence),
    });
  }

  /** What was said in this thread before this turn, as far as the next prompt may need it. */
  past(ref: TurnRef): Promise<Past> {
    const alive = (item: Item): boolean => this.#alive(item);
    return readPast({ dynamo: this.#dynamo, table: this.#table, alive }, ref);
  }

  /**
   * Ends the turn: question and ending in one write, the only one that makes them part of the thread. Rejects with
   * ConditionFailed when the claim is someone else's or the turn has ended. `reconcileAtMs` asks for a later look.
   */
  async commit(ref: TurnRef, fence: number, turn: Turn, place: Place, reconcileAtMs?: number): Promise<void> {
    const again = reconcileAtMs !== undefined;
    await this.#update(
      ref,
      `SET body = :body, #from = :from, n = :n, #ttl = :ttl${again ? ', #open = :why, due = :due' : ''}`,
      'fence = :fence AND attribute_not_exists(body)',
      {
        ':body': { B: pack({ question: turn.question, ending: turn.ending }) },
        ':from': { S: place.from },
        ':n': numeral(place.number),
        ':ttl': numeral(this.#expiry()),
        ':fence': numeral(fence),
        ...(again ? { ':why': { S: 'reconcile' }, ':due': numeral(reconcileAtMs / 1000) } : {}),
      },
    );
  }

  /** Asks for a later look at whether the answer is visible once. */
  async lookAgain(ref: TurnRef, atMs: number): Promise<void> {
    await this.#update(ref, 'SET #open = :why, due = :due', 'attribute_exists(pk)', {
      ':why': { S: 'reconcile' },
      ':due': numeral(atMs / 1000),
    });
  }

  /** The turns whose later look is due, at most `most` of each kind, the longest due first. */
  async due(most: number): Promise<Due[]> {
    const kinds = await Promise.all((['unsent', 'reconcile'] as const).map((why) => this.#dueFor(why, most)));
    return kinds.flat();
  }

  /** The later look was taken. */
  async settle(ref: TurnRef): Promise<void> {
    await unlessRefused(this.#update(ref, 'REMOVE #open, due, ask', 'attribute_exists(#open)', {}));
  }

  async #dueFor(why: Due['why'], most: number): Promise<Due[]> {
    const { Items = [] } = await this.#dynamo.query({
      TableName: this.#table,
      IndexName: OPEN_INDEX.name,
      KeyConditionExpression: '#open = :why AND due <= :now',
      ...namesIn('#open'),
      ExpressionAttributeValues: { ':why': { S: why }, ':now': numeral(this.#seconds()) },
      Limit: most,
    });
    const found = await Promise.all(
      Items.map(({ pk, sk }) =>
        this.#dynamo.get({ TableName: this.#table, Key: { ...(pk && { pk }), ...(sk && { sk }) } }),
      ),
    );
    return found.flatMap(({ Item }) => {
      if (!Item || !this.#alive(Item)) return [];
      const item = readItem(Item);
      return item.open?.S === why ? [{ turn: refOf(item), why, question: item.ask?.S ?? '' }] : [];
    });
  }

  async #newest(thread: Thread, consistent: boolean): Promise<Item | undefined> {
    const { pk } = keyOf(thread, thread.root);
    const { Items } = await this.#dynamo.query({
      TableName: this.#table,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: { ':pk': pk, ':first': { S: FIRST }, ':last': { S: LAST } },
      ScanIndexForward: false,
      Limit: 1,
      ConsistentRead: consistent,
    });
    return Items?.[0];
  }

  async #update(
    ref: TurnRef,
    change: string,
    condition: string,
    values: Item,
  ): Promise<TurnItem | undefined> {
    const { Attributes } = await this.#dynamo.update({
      TableName: this.#table,
      Key: keyOf(ref.thread, ref.message),
      UpdateExpression: change,
      ConditionExpression: condition,
      ...namesIn(change, condition),
      ...(Object.keys(values).length > 0 ? { ExpressionAttributeValues: values } : {}),
      ReturnValues: 'ALL_NEW',
    });
    return Attributes && readItem(Attributes);
  }

  #seconds(): number {
    return Math.floor(this.#now() / 1000);
  }

  #expiry(): number {
    return this.#seconds() + this.#days * 86_400;
  }

  /** DynamoDB removes expired items up to days late; for us they are gone at once. */
  #alive(item: Item): boolean {
    return Number(item['ttl']?.N ?? 0) > this.#seconds();
  }
}

const numeral = (n: number): { N: string } => ({ N: String(Math.floor(n)) });

/** The result of a conditional write, or undefined if its condition did not hold. */
async function unlessRefused<T>(write: Promise<T>): Promise<T | undefined> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof ConditionFailed) return undefined;
    throw error;
  }
}

function held(item: TurnItem, ref: TurnRef): Claim {
  const words = item.body && unpack(item.body.B);
  return {
    kind: 'held',
    fence: item.fence ?? 0,
    posted: (item.posted?.L ?? []).map(({ S }) => messageId(S)),
    ended: words && { message: ref.message, ...words },
  };
}

/** Some attributes have names that DynamoDB keeps for itself; in expressions they are written with a hash. */
function namesIn(...expressions: string[]): { ExpressionAttributeNames?: Record<string, string> } {
  const names = expressions.join(' ').match(/#\w+/gu) ?? [];
  return names.length > 0
    ? { ExpressionAttributeNames: Object.fromEntries(names.map((n) => [n, n.slice(1)])) }
    : {};
}
