import type { UserId } from '../../domain/index.ts';
import type { Dynamo } from '../dynamodb/dynamo.ts';
import type { Item, Key } from '../turns/turn-keys.ts';

const POINTER = 'POINTER#';

/**
 * A small item beside another one that holds something of a person without naming them in `by`: by its own `by` the index of persons
 * leads to it, and by its key it leads on. So one item can belong to several people. Written before what it leads to, or again with
 * it; lives at least as long. `ttl` in seconds; without it, it stays until the person is forgotten.
 */
export const personPointer = (to: Key, user: string, ttl?: { readonly N: string }): Item => ({
  ...pointerKey(to, user),
  by: { S: user },
  ...(ttl && { ttl: { N: ttl.N } }),
});

export const pointerKey = ({ pk, sk }: Key, user: string): Key => ({
  pk,
  sk: { S: `${POINTER}${sk.S}#${user}` },
});

export const isPointer = ({ sk }: Item): boolean => sk?.S?.startsWith(POINTER) === true;

/** The key that the key of a pointer leads to; undefined for the key of anything else. */
export function pointsTo({ pk, sk }: Key, user: UserId): Key | undefined {
  const end = `#${user}`;
  if (!sk.S.startsWith(POINTER) || !sk.S.endsWith(end)) return undefined;
  return { pk, sk: { S: sk.S.slice(POINTER.length, -end.length) } };
}

/** What leads these people to an item lives as long as the item does by now. */
export async function renewPointers(
  { dynamo, table: TableName }: { readonly dynamo: Pick<Dynamo, 'put'>; readonly table: string },
  { pk, sk, ttl }: Item,
  people: readonly string[],
): Promise<void> {
  if (pk?.S === undefined || sk?.S === undefined || ttl?.N === undefined) return;
  const [to, until] = [{ pk: { S: pk.S }, sk: { S: sk.S } }, { N: ttl.N }];
  await Promise.all(people.map((user) => dynamo.put({ TableName, Item: personPointer(to, user, until) })));
}
