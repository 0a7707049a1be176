import { once } from 'node:events';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { createDynamoClient } from '../../shared/store/dynamo-client.ts';
import type { Dynamo } from '../../shared/store/index.ts';
import { KEYS, OPEN_INDEX, PERSON_INDEX } from '../../shared/runtime/names.ts';

const LOCAL = { region: 'local', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };

/** Both tables on dynalite in memory, behind the real AWS client. */
export async function startTables(): Promise<{
  dynamo: Dynamo;
  client: DynamoDB;
  close: () => Promise<void>;
}> {
  const server = dynalite({ createTableMs: 0, deleteTableMs: 0 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('dynalite has no port');
  const endpoint = `http://127.0.0.1:${address.port}`;
  const client = new DynamoDB({ ...LOCAL, endpoint });
  await client.createTable({
    TableName: 'conversations',
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: [
      { AttributeName: KEYS.partition, KeyType: 'HASH' },
      { AttributeName: KEYS.sort, KeyType: 'RANGE' },
    ],
    AttributeDefinitions: [
      { AttributeName: KEYS.partition, AttributeType: 'S' },
      { AttributeName: KEYS.sort, AttributeType: 'S' },
      { AttributeName: OPEN_INDEX.partition, AttributeType: 'S' },
      { AttributeName: OPEN_INDEX.sort, AttributeType: 'N' },
      { AttributeName: PERSON_INDEX.partition, AttributeType: 'S' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: OPEN_INDEX.name,
        KeySchema: [
          { AttributeName: OPEN_INDEX.partition, KeyType: 'HASH' },
          { AttributeName: OPEN_INDEX.sort, KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
      {
        IndexName: PERSON_INDEX.name,
        KeySchema: [
          { AttributeName: PERSON_INDEX.partition, KeyType: 'HASH' },
          { AttributeName: PERSON_INDEX.sort, KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ],
  });
  await client.createTable({
    TableName: 'tokens',
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: [{ AttributeName: KEYS.partition, KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: KEYS.partition, AttributeType: 'S' }],
  });
  return {
    dynamo: createDynamoClient({ ...LOCAL, endpoint }),
    client,
    close: async () => {
      client.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** For what goes by the index of persons once it is complete: it is not. */
export const BY_SCAN = { now: () => 0, isIndexComplete: () => Promise.resolve(false) } as const;
