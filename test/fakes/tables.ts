import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type CreateTableInput, DynamoDB, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { createDynamoCall } from '../../shared/aws/index.ts';
import { createFetchClient, fetchDynamo } from '../../shared/storage/dynamodb/fetch-client.ts';
import type { Dynamo } from '../../shared/storage/index.ts';
import { clientForTest } from './repeated-writes.ts';
import { KEYS, OPEN_INDEX, PERSON_INDEX } from '../../shared/runtime/shared-names.ts';

/** Creates a table, and waits until it can be used: as on AWS, a new table of dynalite is not there at once. */
export async function createTestTable(client: DynamoDB, table: CreateTableInput): Promise<void> {
  await client.createTable(table);
  await waitUntilTableExists(
    { client, maxWaitTime: 10, minDelay: 0.01, maxDelay: 0.1 },
    { TableName: table.TableName },
  );
}

/** Amazon's DynamoDB Local keeps tables apart by the name of the key, of letters and digits. */
const access = () => ({
  region: 'local',
  credentials: { accessKeyId: randomUUID().replaceAll('-', ''), secretAccessKey: 'local' },
});

/** Both tables on dynalite in memory, or on what runs at `DYNAMODB_ENDPOINT` (`npm run conformance:dynamodb`), behind the client of the workers. */
export async function startTables(): Promise<{
  dynamo: Dynamo;
  client: DynamoDB;
  close: () => Promise<void>;
}> {
  const url = process.env['DYNAMODB_ENDPOINT'];
  const server = url === undefined ? await startDynalite() : undefined;
  const endpoint = url ?? server?.endpoint ?? '';
  const local = { ...access(), endpoint };
  const client = new DynamoDB(local);
  const call = createDynamoCall(
    { ...local, endpoints: { dynamodb: endpoint } },
    { maxAttempts: 3, attemptMs: 3_000 },
  );
  await createTestTable(client, {
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
  await createTestTable(client, {
    TableName: 'tokens',
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: [{ AttributeName: KEYS.partition, KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: KEYS.partition, AttributeType: 'S' }],
  });
  return {
    dynamo: clientForTest(createFetchClient(call), fetchDynamo(call)),
    client,
    close: async () => {
      client.destroy();
      await server?.close();
    },
  };
}

async function startDynalite() {
  const server = dynalite({ createTableMs: 0, deleteTableMs: 0 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('dynalite has no port');
  const close = async (): Promise<void> => {
    server.close();
    await once(server, 'close');
  };
  return { endpoint: `http://127.0.0.1:${address.port}`, close };
}

/** For what goes by the index of persons once it is complete: it is not. */
export const ERASE_BY_SCAN = { now: () => 0, isIndexComplete: () => Promise.resolve(false) } as const;
