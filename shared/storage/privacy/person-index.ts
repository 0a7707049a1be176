import * as v from 'valibot';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { PERSON_INDEX } from '../../runtime/shared-names.ts';
import { auditAuthorsIn } from './anonymize-audit-log.ts';
import { type Dynamo, ignoreConditionFailure } from '../dynamodb/dynamo.ts';
import { removeNamelessContext, speakersIn } from './remove-quoted-text.ts';
import { personPointer } from './person-pointers.ts';
import { ratersOf } from '../interactions/rating-keys.ts';
import { concurrently } from '../recordings/recording-removal.ts';
import { type Item, numeral } from '../turns/turn-keys.ts';
import { isLevel, key, nextOf, PAGE, type TableScan, scanPauseMs, startAt } from './erasure-scope.ts';

export type PersonIndexConfig = {
  readonly dynamo: Pick<Dynamo, 'get' | 'update' | 'query'>;
  readonly table: string;
  readonly now: () => number;
};

/** How far the pointers of what was there before them are written. */
export type IndexState =
  | { readonly kind: 'absent' }
  /** Versions that write no pointers may be running until then (ms since 1970). */
  | { readonly kind: 'planned'; readonly startAtMs: number }
  | { readonly kind: 'filling'; readonly from: string | undefined; readonly read: number }
  | { readonly kind: 'complete' };

export type FilledPage = {
  /** Items that were read, and pointers that were missing. */
  readonly read: number;
  readonly written: number;
  readonly next: string | undefined;
  /** For how long the table is to be left to others before the next page (ms). */
  readonly pauseMs: number;
};

/** Counted up where a page came to do more: then all of the table is gone through once more. */
const KEY = { pk: { S: 'SCAN' }, sk: { S: 'PERSON-INDEX#2' } } as const;
/** An answer that it is not complete counts for so long; that it is, for ever. */
const CACHE_TTL_MS = 30_000;
/** Read units a second while the pointers are written: a tenth of what the table has. */
const MAX_FILL_UNITS_PER_SECOND = 50;

const number = v.pipe(
  v.object({ N: v.string() }),
  v.transform(({ N }) => Number(N)),
);
const shape = v.object({
  start: number,
  read: v.optional(number),
  from: v.optional(v.object({ S: v.string() })),
  done: v.optional(v.object({ BOOL: v.boolean() })),
});

/**
 * The index of persons, and whether it leads to everything. DynamoDB itself puts into a new index what the table holds (it cannot be
 * queried before). What names a person elsewhere than in `by` has pointers (`personPointer`): those of what was written before there
 * were any are written once, a page at a time, by the sweeper.
 */
export class PersonIndex {
  readonly #config: PersonIndexConfig;
  #known: { readonly isComplete: boolean; readonly at: number } | undefined;

  constructor(config: PersonIndexConfig) {
    this.#config = config;
  }

  /** Whether it leads to all that is a person's. Up to half a minute late. */
  readonly isComplete = async (): Promise<boolean> => {
    const at = this.#config.now();
    if (this.#known && (this.#known.isComplete || at < this.#known.at + CACHE_TTL_MS))
      return this.#known.isComplete;
    const isComplete = (await this.state()).kind === 'complete';
    this.#known = { isComplete, at };
    return isComplete;
  };

  async state(): Promise<IndexState> {
    const { dynamo, table: TableName, now } = this.#config;
    const { Item: found } = await dynamo.get({ TableName, Key: KEY, ConsistentRead: true });
    const { success, output } = v.safeParse(shape, found);
    if (!success) return { kind: 'absent' };
    if (output.done) return { kind: 'complete' };
    if (output.start > now()) return { kind: 'planned', startAtMs: output.start };
    return { kind: 'filling', from: output.from?.S, read: output.read ?? 0 };
  }

  /** Has it begin then (ms since 1970), unless that is known already. */
  async plan(startAtMs: number): Promise<void> {
    await this.#change('SET #start = :start', 'attribute_not_exists(#start)', {
      ':start': numeral(startAtMs),
    });
  }

  /** Whether DynamoDB has put into the index what the table holds: until then it refuses to be asked. */
  async isQueryable(): Promise<boolean> {
    const query = this.#config.dynamo.query({
      TableName: this.#config.table,
      IndexName: PERSON_INDEX.name,
      KeyConditionExpression: '#by = :by',
      ExpressionAttributeNames: { '#by': PERSON_INDEX.partition },
      ExpressionAttributeValues: { ':by': { S: 'nobody' } },
      Limit: 1,
    });
    return query.then(
      () => true,
      (error: unknown) => {
        if (isRefusal(error)) return false;
        throw error;
      },
    );
  }

  /** Writes the missing pointers of a page, and removes what names nobody to be found by. Safe to repeat. */
  async fill(scan: TableScan, from: string | undefined): Promise<FilledPage> {
    const { dynamo, table: TableName } = this.#config;
    const {
      Items = [],
      LastEvaluatedKey,
      ConsumedCapacity,
    } = await scan({
      TableName,
      Limit: PAGE,
      ReturnConsumedCapacity: 'TOTAL',
      ...startAt(from),
    });
    const added = await concurrently(Items.flatMap(pointersFor), ({ pk, sk, by, ttl }) =>
      ignoreConditionFailure(
        dynamo.update({
          TableName,
          Key: { ...(pk && { pk }), ...(sk && { sk }) },
          UpdateExpression: `SET #by = :by${ttl ? ', #ttl = :ttl' : ''}`,
          // What there is may live longer than what was read just now.
          ConditionExpression: 'attribute_not_exists(#by)',
          ExpressionAttributeNames: { '#by': 'by', ...(ttl && { '#ttl': 'ttl' }) },
          ExpressionAttributeValues: { ...(by && { ':by': by }), ...(ttl && { ':ttl': ttl }) },
        }),
      ),
    );
    await concurrently(Items, (item) => removeNamelessContext(this.#config, item));
    const pauseMs = scanPauseMs(ConsumedCapacity?.CapacityUnits, MAX_FILL_UNITS_PER_SECOND);
    return {
      read: Items.length,
      written: added.filter(Boolean).length,
      next: nextOf(LastEvaluatedKey),
      pauseMs,
    };
  }

  /** Notes how far it is; without `next` it is complete. False where another has got further. */
  async save(before: number, read: number, next: string | undefined): Promise<boolean> {
    const place = next === undefined ? '#done = :done' : '#from = :from';
    const value: Record<string, AttributeValue> =
      next === undefined ? { ':done': { BOOL: true } } : { ':from': { S: next } };
    const same = before === 0 ? 'attribute_not_exists(#read)' : '#read = :before';
    return this.#change(`SET #read = :read, ${place}`, same, {
      ':read': numeral(before + read),
      ...value,
      ...(before === 0 ? {} : { ':before': numeral(before) }),
    });
  }

  #change(change: string, condition: string, values: Item): Promise<boolean> {
    const names = `${change} ${condition}`.match(/#\w+/gu) ?? [];
    return ignoreConditionFailure(
      this.#config.dynamo.update({
        TableName: this.#config.table,
        Key: KEY,
        UpdateExpression: change,
        ConditionExpression: condition,
        ExpressionAttributeNames: Object.fromEntries(names.map((name) => [name, name.slice(1)])),
        ExpressionAttributeValues: values,
      }),
    );
  }
}

/** An index that is not there yet, or is being filled by DynamoDB. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error && ['ValidationException', 'ResourceNotFoundException'].includes(error.name);

/** What leads to an item from the persons whom it names elsewhere than in `by`. */
function pointersFor(item: Item): Item[] {
  const at = v.parse(key, item);
  const ttl = item['ttl']?.N === undefined ? undefined : { N: item['ttl'].N };
  const names = isLevel(item)
    ? [...auditAuthorsIn(item['log']?.S), ...(/^LEVEL#person#(.+)$/u.exec(at.sk.S)?.slice(1) ?? [])]
    : at.sk.S.startsWith('TURN#')
      ? [...ratersOf(item), ...speakersIn(item)]
      : [];
  return [...new Set(names)].filter((name) => name !== '').map((name) => personPointer(at, name, ttl));
}
