import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import * as z from 'zod/mini';
import type { Table } from '../../template/template-resources.ts';
import { call } from './table-call.ts';

/**
 * Has what was removed leave the files of the tables: the store beneath keeps it there until it happens to merge them. Nobody
 * else may have them open.
 */
export async function compactTables(directory: string): Promise<void> {
  if (!existsSync(join(directory, 'CURRENT'))) return;
  const files = new ClassicLevel(directory);
  await files.open();
  try {
    await files.compactRange('\u0000', '\u{10FFFF}');
  } finally {
    await files.close();
  }
}

const Page = z.object({
  Items: z.array(z.record(z.string(), z.unknown())),
  LastEvaluatedKey: z.optional(z.unknown()),
});

/** Removes what has expired, as DynamoDB does by itself within days; dynalite never does. */
export async function removeExpired(
  endpoint: string,
  { name: TableName, KeySchema }: Pick<Table, 'name' | 'KeySchema'>,
): Promise<void> {
  const names = KeySchema.map((key) => key.AttributeName);
  let start: unknown;
  do {
    const { body, status } = await call(endpoint, 'Scan', {
      TableName,
      FilterExpression: '#ttl < :now',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':now': { N: String(Math.floor(Date.now() / 1_000)) } },
      ExclusiveStartKey: start,
    });
    if (status !== 200) throw new Error(`The table ${TableName} could not be read: ${status}`);
    const page = Page.parse(body);
    for (const item of page.Items) {
      const Key = Object.fromEntries(names.map((key) => [key, item[key]]));
      await call(endpoint, 'DeleteItem', { TableName, Key });
    }
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
}
