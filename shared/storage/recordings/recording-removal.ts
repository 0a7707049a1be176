import * as v from 'valibot';
import { mapConcurrently } from '../../utils/index.ts';
import type { Dynamo } from '../dynamodb/dynamo.ts';
import { estimateWriteUnits } from '../keys/item-size.ts';
import type { Item } from '../keys/item-keys.ts';

const key = v.object({ pk: v.object({ S: v.string() }), sk: v.object({ S: v.string() }) });

/** The page size of the query. */
const PAGE_SIZE = 500;
/** Requests sent in parallel when many items are changed. */
export const CONCURRENCY = 25;

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
    await mapConcurrently(its, CONCURRENCY, (item) => {
      const { pk, sk } = v.parse(key, item);
      return dynamo.delete({ TableName, Key: { pk, sk } });
    });
    units += estimateWriteUnits(its);
    start = page.LastEvaluatedKey;
  } while (start);
  return units;
}
