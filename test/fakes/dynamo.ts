import { ConditionFailed, type Dynamo } from '../../shared/store/index.ts';
import { OPEN_INDEX } from '../../shared/runtime/names.ts';
import { changed, holds, type Item, scalar, type Scalar } from './expression.ts';

/** Tables in memory, with DynamoDB's rules for the calls that this system makes. */
export type MemoryDynamo = Dynamo & { readonly items: (table: string) => Item[] };

export function createMemoryDynamo(): MemoryDynamo {
  const tables = new Map<string, Map<string, Item>>();
  const tableOf = (name: string | undefined): Map<string, Item> => {
    const key = name ?? '';
    const table = tables.get(key) ?? new Map<string, Item>();
    tables.set(key, table);
    return table;
  };

  return {
    items: (name) => [...tableOf(name).values()],

    async get({ TableName, Key }) {
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
      const table = tableOf(TableName);
      const before = table.get(idOf(Item)) ?? {};
      if (
        ConditionExpression &&
        !holds(ConditionExpression, before, ExpressionAttributeNames, ExpressionAttributeValues)
      ) {
        throw new ConditionFailed('the condition did not hold');
      }
      table.set(idOf(Item), { ...Item });
    },

    async update(input) {
      const { TableName, Key, UpdateExpression = '', ConditionExpression, ReturnValues } = input;
      const { ExpressionAttributeNames: names, ExpressionAttributeValues: values } = input;
      const unused = Object.keys({ ...names, ...values }).find(
        (name) => !new RegExp(`${name}\\b`, 'u').test(`${UpdateExpression} ${ConditionExpression ?? ''}`),
      );
      if (unused !== undefined) throw new Error(`${unused} is not used: ${UpdateExpression}`);
      const table = tableOf(TableName);
      const before = table.get(idOf(Key)) ?? {};
      if (ConditionExpression && !holds(ConditionExpression, before, names, values)) {
        throw new ConditionFailed('the condition did not hold');
      }
      const after = changed(UpdateExpression, { ...Key, ...before }, names, values);
      table.set(idOf(Key), after);
      const updated = Object.entries(after).filter(
        ([name, value]) => value !== before[name] && !(name in (Key ?? {})),
      );
      return { Attributes: ReturnValues === 'UPDATED_NEW' ? Object.fromEntries(updated) : { ...after } };
    },

    async delete({
      TableName,
      Key,
      ConditionExpression,
      ExpressionAttributeNames,
      ExpressionAttributeValues,
    }) {
      const table = tableOf(TableName);
      const before = table.get(idOf(Key)) ?? {};
      if (
        ConditionExpression &&
        !holds(ConditionExpression, before, ExpressionAttributeNames, ExpressionAttributeValues)
      ) {
        throw new ConditionFailed('the condition did not hold');
      }
      table.delete(idOf(Key));
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
      const sort = IndexName ? OPEN_INDEX.sort : 'sk';
      const matching = [...tableOf(TableName).values()]
        .filter((item) => item[sort] !== undefined && holds(KeyConditionExpression, item, names, values))
        .toSorted((a, b) => order(scalar(a[sort]), scalar(b[sort])) || order(idOf(a), idOf(b)));
      if (ScanIndexForward === false) matching.reverse();
      const start = ExclusiveStartKey && scalar(ExclusiveStartKey[sort]);
      const rest =
        start === undefined
          ? matching
          : matching.filter(
              (item) => order(scalar(item[sort]), start) * (ScanIndexForward === false ? -1 : 1) > 0,
            );
      const page = rest.slice(0, Limit ?? rest.length);
      const last = page.at(-1);
      const more =
        Limit !== undefined && page.length === Limit && last ? { LastEvaluatedKey: keyOf(last) } : {};
      return { Items: page.map((item) => ({ ...item })), ...more };
    },
  };
}

const idOf = (key: Item | undefined): string => JSON.stringify([scalar(key?.['pk']), scalar(key?.['sk'])]);

function keyOf(item: Item): Item {
  return Object.fromEntries(Object.entries(item).filter(([name]) => name === 'pk' || name === 'sk'));
}

function order(a: Scalar, b: Scalar): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
  return a < b ? -1 : 1;
}
