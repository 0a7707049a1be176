import * as v from 'valibot';
import type { Dynamo } from '../dynamodb/dynamo.ts';
import type { CollectionPlace } from '../keys/document-keys.ts';
import { channelSettingsPrefixes, type Item, levelKey, settingsPartition } from '../keys/item-keys.ts';
import { keySchema } from '../keys/key-schema.ts';
import { CONCURRENCY } from '../recordings/recording-removal.ts';
import { mapConcurrently } from '../../utils/index.ts';

type Config = { readonly dynamo: Pick<Dynamo, 'delete' | 'query'>; readonly table: string };

/** Removes the settings of a channel that no longer exists, also its facts, and those of its threads. Idempotent. */
export async function removeChannelSettings(
  place: CollectionPlace,
  { dynamo, table: TableName }: Config,
): Promise<void> {
  await dynamo.delete({ TableName, Key: levelKey(place, 'channel') });
  for (const prefix of channelSettingsPrefixes(place.channel)) {
    let start: Item | undefined;
    do {
      const page: Awaited<ReturnType<Dynamo['query']>> = await dynamo.query({
        TableName,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
        ExpressionAttributeValues: {
          ':pk': { S: settingsPartition(place) },
          ':first': { S: prefix },
          ':last': { S: `${prefix}~` },
        },
        ...(start && { ExclusiveStartKey: start }),
      });
      const keys = (page.Items ?? []).map((item) => v.parse(keySchema, item));
      await mapConcurrently(keys, CONCURRENCY, (Key) => dynamo.delete({ TableName, Key }));
      start = page.LastEvaluatedKey;
    } while (start);
  }
}
