import * as v from 'valibot';
import type { Dynamo } from '../dynamodb/dynamo.ts';
import { estimateWriteUnits } from '../keys/item-size.ts';
import type { Item } from '../keys/item-keys.ts';

const key = v.object({ pk: v.object({ S: v.string() }), sk: v.object({ S: v.string() }) });

/** The page size of the query. */
const PAGE_SIZE = 500;
const CONCURRENCY = 25;

/** Deletes all items of one recording: chunks, translations, and the recording itself. Idempotent. Resolves with the write units, estimated. */
export async function removeTranscripts(
  { dynamo, table: TableName }: { readonly dynamo: Pick<Dynamo, 'delete' | 'query'>; readonly table: string },
  partition: string,
  file: string,
): Promise<number> {
  let units = 0;
  let start: Item | undefined;
  do {
    const page: { Items?: Item[] | undefined; LastEvaluatedKey?: Item | undefined } = await dynamo.query({
      TableName,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: {
        ':pk': { S: partition },
        ':first': { S: file },
        ':last': { S: `${file}#~` },
      },
      Limit: PAGE_SIZE,
      ...(start && { ExclusiveStartKey: start }),
    });
    const isOfRecording = (item: Item): boolean =>
      item['sk']?.S === file || item['sk']?.S?.startsWith(`${file}#`) === true;
    const its = (page.Items ?? []).filter(isOfRecording);
    await mapConcurrently(its, (item) => {
      const { pk, sk } = v.parse(key, item);
      return dynamo.delete({ TableName, Key: { pk, sk } });
    });
    units += estimateWriteUnits(its);
    start = page.LastEvaluatedKey;
  } while (start);
  return units;
}

/** Runs a function for all elements, a few at a time. */
export async function mapConcurrently<T>(all: readonly T[], each: (one: T) => Promise<void>): Promise<void> {
  await mapConcurrentlyInOrder(all, each);
}

/** Like `mapConcurrently`, with the results in order. */
export async function mapConcurrentlyInOrder<T, R>(
  all: readonly T[],
  each: (one: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (let i = 0; i < all.length; i += CONCURRENCY) {
    results.push(...(await Promise.all(all.slice(i, i + CONCURRENCY).map(each))));
  }
  return results;
}
