import type { UserId } from '../../domain/index.ts';
import type { Dynamo } from '../dynamodb/dynamo.ts';
import type { Item, Key } from './turn-keys.ts';

const POINTER = 'POINTER#';

/**
 * A pointer: a small item beside one that contains data of a person without naming them in `by`. Its own `by`
 * is in the person index, and its key leads to the item. So one item can belong to several people. Written
 * before its target, or again with it; lives at least as long. `ttl` in seconds; without it, it stays until the
 * person is erased.
 */
export const personPointer = (to: Key, user: string, ttl?: { readonly N: string }): Item => ({
  ...personPointerKey(to, user),
  by: { S: user },
  ...(ttl && { ttl: { N: ttl.N } }),
});

export const personPointerKey = ({ pk, sk }: Key, user: string): Key => ({
  pk,
  sk: { S: `${POINTER}${sk.S}#${user}` },
});

export const isPointer = ({ sk }: Item): boolean => sk?.S?.startsWith(POINTER) === true;

/** Returns the key of a pointer's target; undefined for other keys. */
export function pointerTarget({ pk, sk }: Key, user: UserId): Key | undefined {
  const end = `#${user}`;
  if (!sk.S.startsWith(POINTER) || !sk.S.endsWith(end)) return undefined;
  return { pk, sk: { S: sk.S.slice(POINTER.length, -end.length) } };
}

/** Renews the pointers of these people, so that they live as long as the item. */
export async function renewPointers(
  { dynamo, table: TableName }: { readonly dynamo: Pick<Dynamo, 'put'>; readonly table: string },
  { pk, sk, ttl }: Item,
  people: readonly string[],
): Promise<void> {
  if (pk?.S === undefined || sk?.S === undefined || ttl?.N === undefined) return;
  const [to, until] = [{ pk: { S: pk.S }, sk: { S: sk.S } }, { N: ttl.N }];
  await Promise.all(people.map((user) => dynamo.put({ TableName, Item: personPointer(to, user, until) })));
}
