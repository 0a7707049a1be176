import * as v from 'valibot';
import { messageId, type MessageId, type Thread, threadKey, threadSchema } from '../../domain/index.ts';
import type { Dynamo } from '../dynamodb/dynamo.ts';
import type { Item } from '../keys/item-keys.ts';
import { keySchema } from '../keys/key-schema.ts';
import { callPartition } from './call-partition.ts';

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

type CallsConfig = { readonly dynamo: Pick<Dynamo, 'query' | 'delete'>; readonly table: string };

/**
 * Removes the calls that cards of a thread show: their arguments can hold words of the thread. Reads the calls of the workspace, which are kept for a
 * day. Resolves with their number. Rejects if the table is unavailable.
 */
export const removeThreadCalls = async (thread: Thread, config: CallsConfig): Promise<number> =>
  (await removeCalls(thread, () => true, config)).length;

/** Removes the calls that belong to some questions of a thread. Resolves with the messages of their cards. */
export async function removeCallsOfQuestions(
  thread: Thread,
  questions: readonly MessageId[],
  config: CallsConfig,
): Promise<readonly MessageId[]> {
  const names = new Set<string>(questions);
  const removed = await removeCalls(thread, ({ question }) => names.has(question?.S ?? ''), config);
  return removed.flatMap(({ card }) => (card?.S === undefined ? [] : messageId(card.S)));
}

async function removeCalls(
  thread: Thread,
  isChosen: (item: Item) => boolean,
  { dynamo, table: TableName }: CallsConfig,
): Promise<readonly Item[]> {
  const removed: Item[] = [];
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
      if (!success || threadKey(output.thread.S) !== threadKey(thread) || !isChosen(item)) continue;
      const { pk, sk } = v.parse(keySchema, item);
      await dynamo.delete({ TableName, Key: { pk, sk } });
      removed.push(item);
    }
    start = LastEvaluatedKey;
  } while (start);
  return removed;
}
