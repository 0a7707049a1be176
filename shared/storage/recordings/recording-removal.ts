import * as v from 'valibot';
import type { Dynamo } from '../dynamodb/dynamo.ts';
import type { Item } from '../turns/turn-keys.ts';

const key = v.object({ pk: v.object({ S: v.string() }), sk: v.object({ S: v.string() }) });

/** Items of one page. */
const PAGE = 500;
const SIDE_BY_SIDE = 25;

/** Removes what was heard of one recording: its pieces, its translations, what is known of the whole. Safe to repeat. */
export async function removeTranscripts(
  { dynamo, table: TableName }: { readonly dynamo: Pick<Dynamo, 'delete' | 'query'>; readonly table: string },
  partition: string,
  file: string,
): Promise<void> {
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
      Limit: PAGE,
      ...(start && { ExclusiveStartKey: start }),
    });
    const keys = (page.Items ?? []).map((item) => v.parse(key, item));
    const its = keys.filter(({ sk }) => sk.S === file || sk.S.startsWith(`${file}#`));
    await mapConcurrently(its, ({ pk, sk }) => dynamo.delete({ TableName, Key: { pk, sk } }));
    start = page.LastEvaluatedKey;
  } while (start);
}

/** A few at a time. */
export async function mapConcurrently<T>(all: readonly T[], each: (one: T) => Promise<void>): Promise<void> {
  await concurrently(all, each);
}

/** A few at a time; what came of them, in their order. */
export async function concurrently<T, R>(all: readonly T[], each: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let i = 0; i < all.length; i += SIDE_BY_SIDE) {
    results.push(...(await Promise.all(all.slice(i, i + SIDE_BY_SIDE).map(each))));
  }
  return results;
}
