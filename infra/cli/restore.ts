import { type AttributeValue, DynamoDB, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { parseArgs } from 'node:util';

export type RestoreOptions = {
  /** The restored table, and the table that lost items. */
  readonly from: string;
  readonly to: string;
  /** Only items whose partition key contains this text, such as `slack#T123`. */
  readonly only?: string | undefined;
  /** Without it, items are counted and not written. */
  readonly write: boolean;
  /** ms since 1970. Items that have expired by then are not restored. */
  readonly now: number;
};

export type RestoreResult = { readonly read: number; readonly missing: number };

/**
 * Copies items that `to` lacks from `from`, and never changes existing items: safe to repeat, and safe during operation.
 * Writes one item at a time, which stays below the table's write limit.
 */
export async function restore(
  { from, to, only, write, now }: RestoreOptions,
  dynamo: DynamoDB,
): Promise<RestoreResult> {
  let [read, missing] = [0, 0];
  let start: Record<string, AttributeValue> | undefined;
  do {
    const page = await dynamo.scan({
      TableName: from,
      ExclusiveStartKey: start,
      ...(only !== undefined && {
        FilterExpression: 'contains(pk, :only)',
        ExpressionAttributeValues: { ':only': { S: only } },
      }),
    });
    for (const item of page.Items ?? []) {
      read += 1;
      if (Number(item['ttl']?.N ?? Infinity) * 1000 <= now) continue;
      missing += Number(await restoreItem(item, to, write, dynamo));
    }
    start = page.LastEvaluatedKey;
  } while (start);
  return { read, missing };
}

/** Returns whether `to` lacked the item; with `write`, copies it. */
async function restoreItem(
  item: Record<string, AttributeValue>,
  to: string,
  write: boolean,
  dynamo: DynamoDB,
): Promise<boolean> {
  // Unfinished turns are not resumed: nobody waits for these answers any more.
  const { open: _open, due: _due, ...Item } = item;
  const { pk, sk } = item;
  if (!pk || !sk) throw new Error('Not the conversations table: an item has no pk or sk');
  if (!write) return (await dynamo.getItem({ TableName: to, Key: { pk, sk } })).Item === undefined;
  try {
    await dynamo.putItem({ TableName: to, Item, ConditionExpression: 'attribute_not_exists(pk)' });
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === 'ConditionalCheckFailedException') return false;
    throw error;
  }
}

const USAGE = 'npm run restore -- --from RESTORED --to TABLE [--only TEXT] [--write]\n';

/** Runs the command. Resolves with its exit code. */
export async function run(
  args: readonly string[],
  client: DynamoDBClientConfig,
  print: (text: string) => void,
): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      from: { type: 'string' },
      to: { type: 'string' },
      only: { type: 'string' },
      write: { type: 'boolean', default: false },
    },
  });
  const { from, to, only, write } = values;
  if (!from || !to) {
    print(USAGE);
    return 1;
  }
  const { read, missing } = await restore(
    { from, to, only, write, now: Date.now() },
    new DynamoDB({ maxAttempts: 8, ...client }),
  );
  print(
    `${read} items read in ${from}, ${missing} of them ${write ? `written to ${to}` : `missing in ${to}: with --write they are copied`}.\n`,
  );
  return 0;
}

if (import.meta.main)
  process.exitCode = await run(process.argv.slice(2), {}, (text) => void process.stdout.write(text));
