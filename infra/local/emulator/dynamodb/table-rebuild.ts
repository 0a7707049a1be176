import * as v from 'valibot';
import { callTable } from './table-call.ts';

const Page = v.object({
  Items: v.array(v.record(v.string(), v.unknown())),
  LastEvaluatedKey: v.optional(v.unknown()),
});

/** Name of the temporary copy of a table that is recreated. */
export const getCopyName = (table: string): string => `${table}.copy`;

/** Copies all items from one local table to another. Safe to repeat. */
export async function copyItems(endpoint: string, from: string, to: string): Promise<void> {
  let start: unknown;
  do {
    const { body, status } = await callTable(endpoint, 'Scan', { TableName: from, ExclusiveStartKey: start });
    if (status !== 200) throw new Error(`The table ${from} could not be read: ${status}`);
    const page = v.parse(Page, body);
    for (const Item of page.Items) {
      const put = await callTable(endpoint, 'PutItem', { TableName: to, Item });
      // An item that an index rejects would fail every start: the error names it, and nothing is deleted.
      if (put.status !== 200)
        throw new Error(`An item of ${from} could not be copied: ${JSON.stringify(put.body)}`);
    }
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
}
