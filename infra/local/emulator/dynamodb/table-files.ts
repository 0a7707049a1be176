import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import * as v from 'valibot';
import type { Table } from '../../template/resource-types.ts';
import { callTable } from './table-call.ts';

/** Removes deleted data from the table files; LevelDB keeps it until it compacts. No other process may have them open. */
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

const Page = v.object({
  Items: v.array(v.record(v.string(), v.unknown())),
  LastEvaluatedKey: v.optional(v.unknown()),
});

/** Deletes expired items, as DynamoDB does within days; dynalite does not. */
export async function removeExpired(
  endpoint: string,
  { name: TableName, KeySchema }: Pick<Table, 'name' | 'KeySchema'>,
): Promise<void> {
  const names = KeySchema.map((key) => key.AttributeName);
  let start: unknown;
  do {
    const { body, status } = await callTable(endpoint, 'Scan', {
      TableName,
      FilterExpression: '#ttl < :now',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':now': { N: String(Math.floor(Date.now() / 1_000)) } },
      ExclusiveStartKey: start,
    });
    if (status !== 200) throw new Error(`The table ${TableName} could not be read: ${status}`);
    const page = v.parse(Page, body);
    for (const item of page.Items) {
      const Key = Object.fromEntries(names.map((key) => [key, item[key]]));
      await callTable(endpoint, 'DeleteItem', { TableName, Key });
    }
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
}
