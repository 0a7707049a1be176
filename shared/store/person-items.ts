import * as v from 'valibot';
import { NO_GUILD, type UserId } from '../conversation/index.ts';
import { PERSON_INDEX } from '../runtime/names.ts';
import type { Dynamo } from './dynamo.ts';
import { pointsTo } from './person-pointers.ts';
import { concurrently } from './recording-removal.ts';
import { levelKey, settingsPartition } from './settings-keys.ts';
import type { Item } from './turn-keys.ts';
import { isIn, key, type Key, PAGE, type Whose } from './whose.ts';

export type PersonItemsConfig = { readonly dynamo: Pick<Dynamo, 'get' | 'query'>; readonly table: string };

const indexKey = v.object({ ...key.entries, by: v.object({ S: v.string() }) });
/** Where to go on in the index. */
export const afterShape = v.optional(indexKey);
export type After = v.InferOutput<typeof afterShape>;

export type PersonPage = { readonly items: readonly Item[]; readonly after: After };

/** Items that one page looks up: each costs half a read unit or more. */
const ITEMS_PER_PAGE = 100;

/**
 * A page of what a person left, by the index of persons: costs by what is theirs, however large the table is. With what is theirs
 * come the items of others in which something of theirs stands. The index may lag behind the table by about a second.
 */
export async function personPage(
  config: PersonItemsConfig,
  whose: Whose & { readonly user: UserId },
  from: After,
): Promise<PersonPage> {
  const { dynamo, table: TableName } = config;
  const { Items = [], LastEvaluatedKey } = await dynamo.query({
    TableName,
    IndexName: PERSON_INDEX.name,
    KeyConditionExpression: '#by = :by',
    ExpressionAttributeNames: { '#by': PERSON_INDEX.partition },
    ExpressionAttributeValues: { ':by': { S: whose.user } },
    Limit: ITEMS_PER_PAGE,
    ...(from && { ExclusiveStartKey: from }),
  });
  const found = Items.map((item) => v.parse(key, item)).filter((one) => isIn(one, whose));
  const beside = found.flatMap((one) => pointsTo(one, whose.user) ?? []);
  const first = from === undefined ? await ownKeys(config, whose) : [];
  const keys = new Map(
    [...first, ...found, ...beside].map((one) => [JSON.stringify([one.pk.S, one.sk.S]), one]),
  );
  const items = await concurrently([...keys.values()], async ({ pk, sk }) => {
    const { Item: item } = await dynamo.get({ TableName, Key: { pk, sk }, ConsistentRead: true });
    return item ? [item] : [];
  });
  const after = LastEvaluatedKey && v.parse(indexKey, LastEvaluatedKey);
  return { items: items.flat(), after };
}

/** What lies where only this person's things lie, and may not name them: their own settings. */
async function ownKeys(
  { dynamo, table: TableName }: PersonItemsConfig,
  { platform, workspace, user }: Whose & { readonly user: UserId },
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
