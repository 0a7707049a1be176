import * as v from 'valibot';
import { NO_GUILD, type UserId } from '../../domain/index.ts';
import { PERSON_INDEX } from '../../runtime/shared-names.ts';
import type { Dynamo } from '../dynamodb/dynamo.ts';
import { pointsTo } from './person-pointers.ts';
import { levelKey, settingsPartition } from '../settings/settings-keys.ts';
import type { Item } from '../turns/turn-keys.ts';
import {
  isIn,
  key,
  type Key,
  MAX_SCAN_UNITS_PER_SECOND,
  PAGE,
  scanPauseMs,
  type ErasureScope,
} from './erasure-scope.ts';

export type PersonItemsConfig = { readonly dynamo: Pick<Dynamo, 'get' | 'query'>; readonly table: string };

const indexKey = v.object({ ...key.entries, by: v.object({ S: v.string() }) });
/** Where to go on in the index. */
export const afterShape = v.optional(indexKey);
export type ItemAfterErasure = v.InferOutput<typeof afterShape>;

export type PersonPage = {
  readonly items: readonly Item[];
  readonly after: ItemAfterErasure;
  /** For how long the table is to be left to others before the next page (ms). */
  readonly pauseMs: number;
};

/** Entries of the index that one page looks up. */
const ENTRIES_PER_PAGE = 100;
/** Side by side. An item has at most 400 KB, 100 read units. */
const CONCURRENCY = 10;
/** A page ends behind so much: as much as one of a scan. */
const MAX_PAGE_BYTES = 1_000_000;
/** A consistent read of 4 KB is a unit. */
const BYTES_PER_UNIT = 4_096;

/**
 * A page of what a person left, by the index of persons: costs by what is theirs, however large the table is. With what is theirs
 * come the items of others in which something of theirs stands. The index may lag behind the table by about a second.
 */
export async function personPage(
  config: PersonItemsConfig,
  whose: ErasureScope & { readonly user: UserId },
  from: ItemAfterErasure,
): Promise<PersonPage> {
  const { dynamo, table: TableName } = config;
  const { Items = [], LastEvaluatedKey } = await dynamo.query({
    TableName,
    IndexName: PERSON_INDEX.name,
    KeyConditionExpression: '#by = :by',
    ExpressionAttributeNames: { '#by': PERSON_INDEX.partition },
    ExpressionAttributeValues: { ':by': { S: whose.user } },
    Limit: ENTRIES_PER_PAGE,
    ...(from && { ExclusiveStartKey: from }),
  });
  const entries = Items.map((item) => v.parse(key, item));
  const items = new Map<string, Item>();
  const read = async (keys: readonly Key[]): Promise<void> => {
    const found = await Promise.all(
      keys.map(({ pk, sk }) => dynamo.get({ TableName, Key: { pk, sk }, ConsistentRead: true })),
    );
    for (const { Item: item } of found)
      if (item) items.set(JSON.stringify([item['pk']?.S, item['sk']?.S]), item);
  };
  if (from === undefined) await read(await ownKeys(config, whose));
  for (let i = 0; i < entries.length; i += CONCURRENCY) {
    const some = entries.slice(i, i + CONCURRENCY);
    const theirs = some.filter((one) => isIn(one, whose));
    await read([...theirs, ...theirs.flatMap((one) => pointsTo(one, whose.user) ?? [])]);
    const last = some.at(-1);
    if (last && i + CONCURRENCY < entries.length && bytesOf(items) >= MAX_PAGE_BYTES)
      return { ...page(items), after: { pk: last.pk, sk: last.sk, by: { S: whose.user } } };
  }
  return { ...page(items), after: LastEvaluatedKey && v.parse(indexKey, LastEvaluatedKey) };
}

function page(found: ReadonlyMap<string, Item>) {
  const units = found.size + bytesOf(found) / BYTES_PER_UNIT;
  return { items: [...found.values()], pauseMs: scanPauseMs(units, MAX_SCAN_UNITS_PER_SECOND) };
}

/** Near enough, to plan reads with: words and packed words are nearly all of it. */
const bytesOf = (found: ReadonlyMap<string, Item>): number =>
  [...found.values()]
    .flatMap((item) => Object.values(item))
    .reduce((sum, { B, S }) => sum + (B?.byteLength ?? S?.length ?? 0), 0);

/** What lies where only this person's things lie, and may not name them: their own settings. */
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
      Limit: PAGE,
      ...(start && { ExclusiveStartKey: start }),
    });
    keys.push(...Items.map((item) => v.parse(key, item)));
    start = LastEvaluatedKey;
  } while (start);
  return keys;
}
