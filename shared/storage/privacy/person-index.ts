import * as v from 'valibot';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { PERSON_INDEX } from '../../runtime/index.ts';
import { listAuditAuthors } from './anonymize-audit-log.ts';
import { type Dynamo, isConditionMet, type TableScan } from '../dynamodb/dynamo.ts';
import { removeLegacyContext, listContextAuthors } from './remove-quoted-text.ts';
import { mapConcurrently, TtlCache } from '../../utils/index.ts';
import { createPersonPointer, listRaters, type Item, numberValue } from '../keys/item-keys.ts';
import { CONCURRENCY } from '../recordings/recording-removal.ts';
import { isLevel, nextCursor, PAGE_SIZE, scanPauseMs, startKey } from './erasure-scope.ts';
import { keySchema } from '../keys/key-schema.ts';

export type PersonIndexConfig = {
  readonly dynamo: Pick<Dynamo, 'get' | 'update' | 'query'>;
  readonly table: string;
  readonly now: () => number;
};

/** The state of adding pointers to items from before the index. */
export type IndexState =
  | { readonly kind: 'absent' }
  /** Versions without pointers may run until then (ms since 1970). */
  | { readonly kind: 'planned'; readonly startAtMs: number }
  | { readonly kind: 'filling'; readonly from: string | undefined; readonly read: number }
  | { readonly kind: 'complete' };

export type FilledPage = {
  /** Items that were read, and missing pointers that were written. */
  readonly read: number;
  readonly written: number;
  readonly next: string | undefined;
  /** The pause before the next page (ms), for other users of the table. */
  readonly pauseMs: number;
};

/** The number was increased when pages had to do more: the table is then processed again. */
const KEY = { pk: { S: 'SCAN' }, sk: { S: 'PERSON-INDEX#2' } } as const;
/** How long "incomplete" is cached; "complete" is cached for ever. */
const CACHE_TTL_MS = 30_000;
/** The read units per second for this work: a tenth of the table's capacity. */
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
 * The person index, and whether it is complete. DynamoDB itself adds existing items to a new index, which
 * cannot be queried until then. Items that contain a person elsewhere than in `by` need pointers
 * (`createPersonPointer`): for older items, the sweeper writes them once, page by page.
 */
export class PersonIndex {
  readonly #config: PersonIndexConfig;
  readonly #cache: TtlCache<boolean>;
  #isComplete = false;

  constructor(config: PersonIndexConfig) {
    this.#config = config;
    this.#cache = new TtlCache({ now: config.now, ttlMs: CACHE_TTL_MS });
  }

  /** Whether the index leads to all data of a person. Up to half a minute late. */
  readonly isComplete = async (): Promise<boolean> => {
    this.#isComplete ||= await this.#cache.get('', async () => (await this.state()).kind === 'complete');
    return this.#isComplete;
  };

  async state(): Promise<IndexState> {
    const { dynamo, table: TableName, now } = this.#config;
    const { Item: item } = await dynamo.get({ TableName, Key: KEY, ConsistentRead: true });
    const { success, output } = v.safeParse(shape, item);
    if (!success) return { kind: 'absent' };
    if (output.done) return { kind: 'complete' };
    if (output.start > now()) return { kind: 'planned', startAtMs: output.start };
    return { kind: 'filling', from: output.from?.S, read: output.read ?? 0 };
  }

  /** Schedules the start (ms since 1970), unless it is scheduled. */
  async plan(startAtMs: number): Promise<void> {
    await this.#change('SET #start = :start', 'attribute_not_exists(#start)', {
      ':start': numberValue(startAtMs),
    });
  }

  /** Whether DynamoDB has filled the index: until then it rejects queries. */
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
        if (isUnavailableError(error)) return false;
        throw error;
      },
    );
  }

  /** Writes the missing pointers of a page, and removes legacy text without authors. Idempotent. */
  async fill(scan: TableScan, from: string | undefined): Promise<FilledPage> {
    const { dynamo, table: TableName } = this.#config;
    const {
      Items = [],
      LastEvaluatedKey,
      ConsumedCapacity,
    } = await scan({
      TableName,
      Limit: PAGE_SIZE,
      ReturnConsumedCapacity: 'TOTAL',
      ...startKey(from),
    });
    const added = await mapConcurrently(Items.flatMap(missingPointers), CONCURRENCY, ({ pk, sk, by, ttl }) =>
      isConditionMet(
        dynamo.update({
          TableName,
          Key: { ...(pk && { pk }), ...(sk && { sk }) },
          UpdateExpression: `SET #by = :by${ttl ? ', #ttl = :ttl' : ''}`,
          // An existing pointer may live longer than the item that was just read.
          ConditionExpression: 'attribute_not_exists(#by)',
          ExpressionAttributeNames: { '#by': 'by', ...(ttl && { '#ttl': 'ttl' }) },
          ExpressionAttributeValues: { ...(by && { ':by': by }), ...(ttl && { ':ttl': ttl }) },
        }),
      ),
    );
    await mapConcurrently(Items, CONCURRENCY, (item) => removeLegacyContext(this.#config, item));
    const pauseMs = scanPauseMs(ConsumedCapacity?.CapacityUnits, MAX_FILL_UNITS_PER_SECOND);
    return {
      read: Items.length,
      written: added.filter(Boolean).length,
      next: nextCursor(LastEvaluatedKey),
      pauseMs,
    };
  }

  /** Stores the progress; without `next` the work is complete. False if another process is further. */
  async save(before: number, read: number, next: string | undefined): Promise<boolean> {
    const place = next === undefined ? '#done = :done' : '#from = :from';
    const value: Record<string, AttributeValue> =
      next === undefined ? { ':done': { BOOL: true } } : { ':from': { S: next } };
    const same = before === 0 ? 'attribute_not_exists(#read)' : '#read = :before';
    return this.#change(`SET #read = :read, ${place}`, same, {
      ':read': numberValue(before + read),
      ...value,
      ...(before === 0 ? {} : { ':before': numberValue(before) }),
    });
  }

  #change(change: string, condition: string, values: Item): Promise<boolean> {
    const names = `${change} ${condition}`.match(/#\w+/gu) ?? [];
    return isConditionMet(
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

/** The index does not exist yet, or DynamoDB is filling it. */
const isUnavailableError = (error: unknown): boolean =>
  error instanceof Error && ['ValidationException', 'ResourceNotFoundException'].includes(error.name);

/** Returns the pointers from the people whom an item contains elsewhere than in `by`. */
function missingPointers(item: Item): Item[] {
  const at = v.parse(keySchema, item);
  const ttl = item['ttl']?.N === undefined ? undefined : { N: item['ttl'].N };
  const names = isLevel(item)
    ? [...listAuditAuthors(item['log']?.S), ...(/^LEVEL#person#(.+)$/u.exec(at.sk.S)?.slice(1) ?? [])]
    : at.sk.S.startsWith('TURN#')
      ? [...listRaters(item), ...listContextAuthors(item)]
      : [];
  return [...new Set(names)].filter((name) => name !== '').map((name) => createPersonPointer(at, name, ttl));
}
