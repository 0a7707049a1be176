import * as v from 'valibot';
import { type Thread, threadKey, threadSchema } from '../../domain/index.ts';
import type { Dynamo } from '../dynamodb/dynamo.ts';
import type { Item } from '../keys/item-keys.ts';
import { keySchema } from '../keys/key-schema.ts';
import { callPartition } from './proposed-calls.ts';

const PAGE_SIZE = 100;
const storedThread = v.object({
  thread: v.object({
    S: v.pipe(
      v.string(),
      v.transform((json): unknown => JSON.parse(json)),
      threadSchema,
    ),
  }),
});

/**
 * Removes the calls that cards of a thread show: their arguments can hold words of the thread. Reads the calls of the workspace, which are kept for a
 * day. Resolves with their number. Rejects if the table is unavailable.
 */
export async function removeThreadCalls(
  thread: Thread,
  { dynamo, table: TableName }: { readonly dynamo: Pick<Dynamo, 'query' | 'delete'>; readonly table: string },
): Promise<number> {
  let count = 0;
  let start: Item | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await dynamo.query({
      TableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': callPartition(thread) },
      ConsistentRead: true,
      Limit: PAGE_SIZE,
      ...(start && { ExclusiveStartKey: start }),
    });
    for (const item of Items) {
      const { success, output } = v.safeParse(storedThread, item);
      if (!success || threadKey(output.thread.S) !== threadKey(thread)) continue;
      const { pk, sk } = v.parse(keySchema, item);
      await dynamo.delete({ TableName, Key: { pk, sk } });
      count += 1;
    }
    start = LastEvaluatedKey;
  } while (start);
  return count;
}
