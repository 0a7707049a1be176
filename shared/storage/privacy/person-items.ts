import * as v from 'valibot';
import { NO_GUILD, type UserId } from '../../domain/index.ts';
import { PERSON_INDEX } from '../../runtime/index.ts';
import type { Dynamo } from '../dynamodb/dynamo.ts';
import { estimateBytes } from '../keys/item-size.ts';
import { parsePointerTarget, levelKey, settingsPartition, type Item } from '../keys/item-keys.ts';
import {
  isInScope,
  MAX_SCAN_UNITS_PER_SECOND,
  PAGE_SIZE,
  scanPauseMs,
  type ErasureScope,
} from './erasure-scope.ts';
import { keySchema, type Key } from '../keys/key-schema.ts';

export type PersonItemsConfig = { readonly dynamo: Pick<Dynamo, 'get' | 'query'>; readonly table: string };

const indexKey = v.object({ ...keySchema.entries, by: v.object({ S: v.string() }) });
/** The cursor in the index. */
export const indexCursorSchema = v.optional(indexKey);
export type IndexCursor = v.InferOutput<typeof indexCursorSchema>;

export type PersonPage = {
  readonly items: readonly Item[];
  readonly after: IndexCursor;
  /** The pause before the next page (ms), for other users of the table. */
  readonly pauseMs: number;
};

/** The number of index entries per page. */
const ENTRIES_PER_PAGE = 100;
/** The number of concurrent reads. An item has at most 400 KB, 100 read units. */
const CONCURRENCY = 10;
/** A page ends after this size: the size of a scan page. */
const MAX_PAGE_BYTES = 1_000_000;
/** A consistent read of 4 KB costs one unit. */
export const BYTES_PER_UNIT = 4_096;

/**
 * Returns one page of a person's items, by the person index: the cost depends on their data, not on the size of
 * the table. Includes other people's items with their data. The index may lag behind the table by about a
 * second.
 */
export async function queryPersonItems(
  config: PersonItemsConfig,
  scope: ErasureScope & { readonly user: UserId },
  from: IndexCursor,
): Promise<PersonPage> {
  const { dynamo, table: TableName } = config;
  const { Items = [], LastEvaluatedKey } = await dynamo.query({
    TableName,
    IndexName: PERSON_INDEX.name,
    KeyConditionExpression: '#by = :by',
    ExpressionAttributeNames: { '#by': PERSON_INDEX.partition },
    ExpressionAttributeValues: { ':by': { S: scope.user } },
    Limit: ENTRIES_PER_PAGE,
    ...(from && { ExclusiveStartKey: from }),
  });
  const entries = Items.map((item) => v.parse(keySchema, item));
  const items = new Map<string, Item>();
  const read = async (keys: readonly Key[]): Promise<void> => {
    const responses = await Promise.all(
      keys.map(({ pk, sk }) => dynamo.get({ TableName, Key: { pk, sk }, ConsistentRead: true })),
    );
    for (const { Item: item } of responses)
      if (item && (scope.sentUntil === undefined || isInScope(item, scope)))
        items.set(JSON.stringify([item['pk']?.S, item['sk']?.S]), item);
  };
  if (from === undefined && scope.sentUntil === undefined) await read(await ownKeys(config, scope));
  for (let i = 0; i < entries.length; i += CONCURRENCY) {
    const some = entries.slice(i, i + CONCURRENCY);
    const theirs = some.filter((one) => isInScope(one, scope));
    await read([...theirs, ...theirs.flatMap((one) => parsePointerTarget(one, scope.user) ?? [])]);
    const last = some.at(-1);
    if (last && i + CONCURRENCY < entries.length && estimateBytes(items.values()) >= MAX_PAGE_BYTES)
      return { ...page(items), after: { pk: last.pk, sk: last.sk, by: { S: scope.user } } };
  }
  return { ...page(items), after: LastEvaluatedKey && v.parse(indexKey, LastEvaluatedKey) };
}

function page(items: ReadonlyMap<string, Item>) {
  const units = items.size + estimateBytes(items.values()) / BYTES_PER_UNIT;
  return { items: [...items.values()], pauseMs: scanPauseMs(units, MAX_SCAN_UNITS_PER_SECOND) };
}

/** Returns the keys of the person's own settings, which may not contain their id. */
async function ownKeys(
  { dynamo, table: TableName }: PersonItemsConfig,
  { platform, workspace, user }: ErasureScope & { readonly user: UserId },
): Promise<Key[]> {
  const keys: Key[] = [];
  if (workspace !== undefined && workspace !== NO_GUILD)
    keys.push(levelKey({ platform, workspace, user }, 'person'));
  if (platform !== 'discord' || (workspace !== undefined && workspace !== NO_GUILD)) return keys;
  const pk = { S: settingsPartition({ platform, workspace: NO_GUILD, user }) };
  let start: Item | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await dynamo.query({
      TableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
      Limit: PAGE_SIZE,
      ...(start && { ExclusiveStartKey: start }),
    });
    keys.push(...Items.map((item) => v.parse(keySchema, item)));
    start = LastEvaluatedKey;
  } while (start);
  return keys;
}
