import { type AttributeValue, DynamoDB, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { parseArgs } from 'node:util';

export type Restore = {
  /** The table that was restored, and the one that lost items. */
  readonly from: string;
  readonly to: string;
  /** Only items whose partition key holds this text, such as `slack#T123`. */
  readonly only?: string | undefined;
  /** Without it, items are counted and none is written. */
  readonly write: boolean;
  /** ms since 1970. What has expired by then stays away. */
  readonly now: number;
};

export type Restored = { readonly read: number; readonly missing: number };

/**
 * Copies the items that `to` lacks out of `from`, and changes none that is there: safe to repeat, and while people use it. One
 * write after the other, which stays below the ceiling of the table.
 */
export async function restore({ from, to, only, write, now }: Restore, dynamo: DynamoDB): Promise<Restored> {
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
      missing += Number(await lacking(item, to, write, dynamo));
    }
    start = page.LastEvaluatedKey;
  } while (start);
  return { read, missing };
}

/** Whether `to` lacked it; with `write`, it is there then. */
async function lacking(
  item: Record<string, AttributeValue>,
  to: string,
  write: boolean,
  dynamo: DynamoDB,
): Promise<boolean> {
  // What was unfinished then is not begun again: nobody waits for an answer of that day.
  const { open: _open, due: _due, ...Item } = item;
  const { pk, sk } = item;
  if (!pk || !sk) throw new Error('Not the table of conversations: an item without pk and sk');
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

/** The command. Resolves with its exit code. */
export async function run(
  args: readonly string[],
  client: DynamoDBClientConfig,
  say: (text: string) => void,
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
    say(USAGE);
    return 1;
  }
  const { read, missing } = await restore(
    { from, to, only, write, now: Date.now() },
    new DynamoDB({ maxAttempts: 8, ...client }),
  );
  say(
    `${read} items read in ${from}, ${missing} of them ${write ? `copied to ${to}` : `missing in ${to}. Use --write to copy them`}.\n`,
  );
  return 0;
}

if (import.meta.main)
  process.exitCode = await run(process.argv.slice(2), {}, (text) => void process.stdout.write(text));
