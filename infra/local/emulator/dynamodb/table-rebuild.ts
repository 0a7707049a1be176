import * as z from 'zod/mini';
import { call } from './table-call.ts';

const Page = z.object({
  Items: z.array(z.record(z.string(), z.unknown())),
  LastEvaluatedKey: z.optional(z.unknown()),
});

/** Where the items wait while their table is made anew. */
export const copyNameOf = (table: string): string => `${table}.copy`;

/** Copies all items from one local table to another. Safe to repeat. */
export async function copyItems(endpoint: string, from: string, to: string): Promise<void> {
  let start: unknown;
  do {
    const { body, status } = await call(endpoint, 'Scan', { TableName: from, ExclusiveStartKey: start });
    if (status !== 200) throw new Error(`The table ${from} could not be read: ${status}`);
    const page = Page.parse(body);
    for (const Item of page.Items) {
      const put = await call(endpoint, 'PutItem', { TableName: to, Item });
      // What an index cannot take would stop every start: it is named, and nothing is deleted.
      if (put.status !== 200)
        throw new Error(`An item of ${from} could not be copied: ${JSON.stringify(put.body)}`);
    }
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
}
