import * as v from 'valibot';
import { toRestoredItem } from '../../../shared/storage/index.ts';
import { OperatorError } from '../operator-error.ts';
import { AwsCallError, type OperatorCall } from '../operator/operator-call.ts';

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

/** Attributes stay as DynamoDB's protocol has them: they are copied, not read. */
const itemSchema = v.looseObject({
  pk: v.object({ S: v.string() }),
  sk: v.object({ S: v.string() }),
  ttl: v.optional(v.object({ N: v.string() })),
});
type TableItem = v.InferOutput<typeof itemSchema>;
const pageSchema = v.object({
  Items: v.optional(v.array(v.unknown()), []),
  LastEvaluatedKey: v.optional(v.record(v.string(), v.unknown())),
});
const getSchema = v.object({ Item: v.optional(v.record(v.string(), v.unknown())) });

/**
 * Copies items that `to` lacks from `from`, and never changes existing items: safe to repeat, and safe during operation.
 * Writes one item at a time, which stays below the table's write limit. `onPage` gets after each page what was done so far. Rejects with OperatorError.
 */
export async function restoreTable(
  { from, to, only, write, now }: RestoreOptions,
  call: OperatorCall,
  onPage: (result: RestoreResult) => void = () => undefined,
): Promise<RestoreResult> {
  let [read, missing] = [0, 0];
  let start: object | undefined;
  do {
    const input = {
      TableName: from,
      ...(start && { ExclusiveStartKey: start }),
      ...(only !== undefined && {
        FilterExpression: 'contains(pk, :only)',
        ExpressionAttributeValues: { ':only': { S: only } },
      }),
    };
    const page = v.parse(pageSchema, await send(call, 'Scan', from, input));
    for (const item of page.Items) {
      read += 1;
      const parsed = v.safeParse(itemSchema, item);
      if (!parsed.success)
        throw new OperatorError(
          `${from} is not a copy of the conversations table: an item has no pk or sk. The output ConversationsTable of the stack names that table.`,
        );
      if (Number(parsed.output.ttl?.N ?? Infinity) * 1000 <= now) continue;
      missing += Number(await restoreItem(parsed.output, to, write, call));
    }
    onPage({ read, missing });
    start = page.LastEvaluatedKey;
  } while (start);
  return { read, missing };
}

/** Returns whether `to` lacked the item; with `write`, copies it. */
async function restoreItem(
  item: TableItem,
  to: string,
  write: boolean,
  call: OperatorCall,
): Promise<boolean> {
  const { pk, sk } = item;
  const Item = toRestoredItem(item);
  if (!write) {
    const response = await send(call, 'GetItem', to, { TableName: to, Key: { pk, sk } });
    return v.parse(getSchema, response).Item === undefined;
  }
  try {
    const input = { TableName: to, Item, ConditionExpression: 'attribute_not_exists(pk)' };
    await send(call, 'PutItem', to, input);
    return true;
  } catch (error) {
    if (error instanceof AwsCallError && error.code === 'ConditionalCheckFailedException') return false;
    throw error;
  }
}

/** The common advice names a stage, which this command does not have. */
async function send(call: OperatorCall, operation: string, table: string, input: object): Promise<unknown> {
  try {
    return await call('dynamodb', `DynamoDB_20120810.${operation}`, input);
  } catch (error) {
    if (error instanceof AwsCallError && error.code === 'ResourceNotFoundException')
      throw new OperatorError(
        `There is no table ${table} that can be used: "aws dynamodb list-tables" lists those of the region. A table that is still being restored cannot be read.`,
      );
    throw error;
  }
}
