import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { ConditionFailedError, type Dynamo } from '../../shared/storage/index.ts';
import { OPEN_INDEX, PERSON_INDEX } from '../../shared/runtime/shared-names.ts';
import { clientForTest, withoutWriteId } from './repeated-writes.ts';
import { applyUpdate, matchesCondition } from './dynamo-expression.ts';
import { type Item, scalar, type Scalar } from './dynamo-parser.ts';

/** Tables in memory, with DynamoDB's rules for the calls that this system makes. */
export type MemoryDynamo = Dynamo & {
  readonly items: (table: string) => Item[];
  readonly hasItem: (table: string, isMatch: (item: Item) => boolean) => boolean;
  /** The stored item with this key, not a copy. */
  readonly find: (table: string | undefined, key: Item | undefined) => Item | undefined;
};

export function createMemoryDynamo(): MemoryDynamo {
  const { items, hasItem, find, ...raw } = createTables();
  return { ...clientForTest(raw), items: (name) => items(name).map(withoutWriteId), hasItem, find };
}

function createTables(): MemoryDynamo {
  const tables = new Map<string, Table>();
  const tableOf = (name: string | undefined): Table => {
    const key = name ?? '';
    const table = tables.get(key) ?? new Table();
    tables.set(key, table);
    return table;
  };

  return {
    items: (name) => [...tableOf(name).values()],
    hasItem(name, isMatch) {
      for (const item of tableOf(name).values()) if (isMatch(item)) return true;
      return false;
    },
    find: (name, key) => tableOf(name).get(idOf(key)),

    async get({ TableName, Key }) {
      keyed(TableName, Key);
      const item = tableOf(TableName).get(idOf(Key));
      return item ? { Item: { ...item } } : {};
    },

    async put({
      TableName,
      Item = {},
      ConditionExpression,
      ExpressionAttributeNames,
      ExpressionAttributeValues,
    }) {
      keyed(TableName, Item);
      refuseDuplicates(Item);
      refuseDuplicates(ExpressionAttributeValues);
      const table = tableOf(TableName);
      const before = table.get(idOf(Item)) ?? {};
      if (
        ConditionExpression &&
        !matchesCondition(ConditionExpression, before, ExpressionAttributeNames, ExpressionAttributeValues)
      ) {
        throw new ConditionFailedError();
      }
      refuseLarge(Item, 'Item size has exceeded the maximum allowed size');
      table.set({ ...Item });
    },

    async update(input) {
      const { TableName, Key, UpdateExpression = '', ConditionExpression, ReturnValues } = input;
      const { ExpressionAttributeNames: names, ExpressionAttributeValues: values } = input;
      const expressions = `${UpdateExpression} ${ConditionExpression ?? ''}`;
      const unused = findUnused(expressions, names) ?? findUnused(expressions, values);
      if (unused !== undefined) throw new Error(`${unused} is not used: ${UpdateExpression}`);
      keyed(TableName, Key);
      refuseDuplicates(values);
      const table = tableOf(TableName);
      const stored = table.get(idOf(Key));
      const before = stored ?? {};
      if (ConditionExpression && !matchesCondition(ConditionExpression, before, names, values)) {
        throw new ConditionFailedError();
      }
      const after = applyUpdate(UpdateExpression, stored ?? { ...Key }, names, values);
      refuseLarge(after, 'Item size to update has exceeded the maximum allowed size');
      table.set(after);
      if (ReturnValues !== 'UPDATED_NEW') return { Attributes: { ...after } };
      const updated = Object.entries(after).filter(
        ([name, value]) => value !== before[name] && !(name in (Key ?? {})),
      );
      return { Attributes: Object.fromEntries(updated) };
    },

    async delete({
      TableName,
      Key,
      ConditionExpression,
      ExpressionAttributeNames,
      ExpressionAttributeValues,
    }) {
      keyed(TableName, Key);
      const table = tableOf(TableName);
      const before = table.get(idOf(Key)) ?? {};
      if (
        ConditionExpression &&
        !matchesCondition(ConditionExpression, before, ExpressionAttributeNames, ExpressionAttributeValues)
      ) {
        throw new ConditionFailedError();
      }
      table.delete(Key);
    },

    async query(input) {
      const {
        TableName,
        IndexName,
        KeyConditionExpression = '',
        ExclusiveStartKey,
        ScanIndexForward,
        Limit,
      } = input;
      const { ExpressionAttributeNames: names, ExpressionAttributeValues: values } = input;
      const sort = sortKeyOf(IndexName);
      const partition = IndexName === undefined ? partitionIn(KeyConditionExpression, values) : undefined;
      const matching = tableOf(TableName)
        .within(partition)
        .filter(
          (item) => item[sort] !== undefined && matchesCondition(KeyConditionExpression, item, names, values),
        )
        .toSorted((a, b) => order(scalar(a[sort]), scalar(b[sort])) || order(idOf(a), idOf(b)));
      if (ScanIndexForward === false) matching.reverse();
      const after = (item: Item, start: Item): number =>
        order(scalar(item[sort]), scalar(start[sort])) || (IndexName ? order(idOf(item), idOf(start)) : 0);
      const rest =
        ExclusiveStartKey === undefined
          ? matching
          : matching.filter(
              (item) => after(item, ExclusiveStartKey) * (ScanIndexForward === false ? -1 : 1) > 0,
            );
      const page = rest.slice(0, Limit ?? rest.length);
      const last = page.at(-1);
      const more =
        Limit !== undefined && page.length === Limit && last
          ? { LastEvaluatedKey: keyOf(last, IndexName) }
          : {};
      return { Items: page.map((item) => ({ ...item })), ...more };
    },
  };
}

const placeholders = new Map<string, ReadonlySet<string>>();

/** Returns a name or value that the expression does not use. Expressions are few, and their placeholders are kept. */
function findUnused(expression: string, names: object = {}): string | undefined {
  const used = placeholders.get(expression) ?? new Set(expression.match(/[#:]\w+/gu));
  placeholders.set(expression, used);
  return Object.keys(names).find((name) => !used.has(name));
}

/** One table; its items are also kept by partition, so that a query of one looks at no other. */
class Table {
  readonly #items = new Map<string, Item>();
  readonly #partitions = new Map<Scalar, Map<string, Item>>();

  get(id: string): Item | undefined {
    return this.#items.get(id);
  }

  values(): Iterable<Item> {
    return this.#items.values();
  }

  /** The items of a partition; all, where none is named. */
  within(partition: Scalar): Item[] {
    const items = partition === undefined ? this.#items : this.#partitions.get(partition);
    return [...(items?.values() ?? [])];
  }

  set(item: Item): void {
    const id = idOf(item);
    const pk = scalar(item['pk']);
    const partition = this.#partitions.get(pk) ?? new Map<string, Item>();
    this.#partitions.set(pk, partition.set(id, item));
    this.#items.set(id, item);
  }

  delete(key: Item | undefined): void {
    this.#items.delete(idOf(key));
    const pk = scalar(key?.['pk']);
    const partition = this.#partitions.get(pk);
    partition?.delete(idOf(key));
    if (partition?.size === 0) this.#partitions.delete(pk);
  }
}

/** The partition that a condition on keys names, where it begins with that. */
function partitionIn(condition: string, values: Record<string, AttributeValue> | undefined): Scalar {
  const name = /^pk = (:\w+)\b/u.exec(condition)?.[1];
  return name === undefined ? undefined : scalar(values?.[name]);
}

/** DynamoDB's limit for an item, names of attributes included. */
const MAX_ITEM_BYTES = 400 * 1_024;

function refuseLarge(item: Item, message: string): void {
  if (boundOf(item) <= MAX_ITEM_BYTES) return;
  const size = Object.entries(item).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + sizeOf(value),
    0,
  );
  if (size > MAX_ITEM_BYTES) throw Object.assign(new Error(message), { name: 'ValidationException' });
}

/** As DynamoDB does, refuses a set that has a member twice. */
function refuseDuplicates(values: Item = {}): void {
  for (const name of Object.keys(values)) {
    const members = values[name]?.SS ?? values[name]?.NS;
    if (members === undefined || new Set(members).size === members.length) continue;
    const message = `Input collection [${members.join(', ')}] contains duplicates.`;
    throw Object.assign(new Error(message), { name: 'ValidationException' });
  }
}

/** An upper bound of the size (bytes) of an item without lists; infinite for others. Most items are far below the limit. */
function boundOf(item: Item): number {
  let bound = 0;
  for (const name of Object.keys(item)) {
    const { S, N, B } = item[name] ?? {};
    const length = S?.length ?? N?.length ?? B?.byteLength ?? Infinity;
    bound += MAX_UTF8_BYTES * (name.length + length);
  }
  return bound;
}

/** A UTF-16 code unit has at most this many bytes in UTF-8. */
const MAX_UTF8_BYTES = 3;

/** Near enough: numbers count for less, lists and maps for three bytes and one an element more. */
function sizeOf({ S, N, B, L, SS }: AttributeValue): number {
  if (B !== undefined) return B.byteLength;
  if (L !== undefined) return L.reduce((sum, one) => sum + 1 + sizeOf(one), 3);
  return [S ?? N ?? '', ...(SS ?? [])].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/** As DynamoDB does, refuses a key that is not the table's: of the conversations `sk` is a part, of the tokens it is not. */
function keyed(table: string | undefined, key: Item = {}): void {
  const isText = (name: string): boolean => (key[name]?.S ?? '') !== '';
  if (isText('pk') && (table !== 'conversations' || isText('sk'))) return;
  throw Object.assign(new Error('the provided key element does not match the schema'), {
    name: 'ValidationException',
  });
}

/** Identifies an item in its table: keys are texts, as `keyed` requires. */
const idOf = (key: Item | undefined): string => `${key?.['pk']?.S}\0${key?.['sk']?.S ?? ''}`;

function sortKeyOf(index: string | undefined): string {
  if (index === PERSON_INDEX.name) return PERSON_INDEX.sort;
  return index === OPEN_INDEX.name ? OPEN_INDEX.sort : 'sk';
}

/** Of an item in an index its keys there as well. */
function keyOf(item: Item, index?: string): Item {
  const more = [PERSON_INDEX, OPEN_INDEX].flatMap(({ name, partition, sort }) =>
    name === index ? [partition, sort] : [],
  );
  const names = new Set(['pk', 'sk', ...more]);
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.has(name)));
}

function order(a: Scalar, b: Scalar): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
  return a < b ? -1 : 1;
}
