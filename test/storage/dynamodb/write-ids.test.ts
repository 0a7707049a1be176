import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import dynalite from 'dynalite';
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  request as send,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Server as NetServer } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createAwsCall } from '../../../shared/aws/aws-request.ts';
import { createDynamoCall } from '../../../shared/aws/dynamo-request.ts';
import {
  ConditionFailedError,
  type Dynamo,
  isConditionMet,
} from '../../../shared/storage/dynamodb/dynamo.ts';
import { createTestTable } from '../../fakes/tables.ts';
import { fetchDynamo } from '../../../shared/storage/dynamodb/fetch-client.ts';
import { createSdkDynamo } from '../../../shared/storage/dynamodb/sdk-client.ts';
import { withRepeatableWrites } from '../../../shared/storage/dynamodb/write-ids.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';
import { repeatingWrites } from '../../fakes/repeated-writes.ts';
import { awsAccess } from '../../runtime/aws.ts';

const TableName = 'tokens';
const key = (name: string) => ({ pk: { S: name } });
const increment = (name: string) => ({
  TableName,
  Key: key(name),
  UpdateExpression: 'SET n = if_not_exists(n, :zero) + :one',
  ExpressionAttributeValues: { ':zero': { N: '0' }, ':one': { N: '1' } },
});
const create = (name: string) => ({
  TableName,
  Item: key(name),
  ConditionExpression: 'attribute_not_exists(pk)',
});
const claim = (name: string, holder: string) => ({
  TableName,
  Key: key(name),
  UpdateExpression: 'SET holder = :holder REMOVE former',
  ConditionExpression: 'attribute_not_exists(holder)',
  ExpressionAttributeValues: { ':holder': { S: holder } },
  ReturnValues: 'ALL_NEW' as const,
});
const remove = (name: string) => ({
  TableName,
  Key: key(name),
  ConditionExpression: 'attribute_exists(pk)',
});

let count = 0;
const newName = (): string => `item-${(count += 1)}`;
const read = async (dynamo: Dynamo, name: string) =>
  (await dynamo.get({ TableName, Key: key(name), ConsistentRead: true })).Item;

/** What holds for a client whose first response of each write is lost. */
function suite(clientOf: () => Dynamo) {
  test('an increment counts once', async () => {
    const name = newName();
    await clientOf().update(increment(name));
    expect(await read(clientOf(), name)).toMatchObject({ n: { N: '1' } });
    await clientOf().update(increment(name));
    expect(await read(clientOf(), name)).toMatchObject({ n: { N: '2' } });
  });

  test('a conditional write succeeds, with its result', async () => {
    const name = newName();
    expect((await clientOf().update(claim(name, 'a'))).Attributes).toMatchObject({ holder: { S: 'a' } });
    await expect(clientOf().put(create(newName()))).resolves.toBeUndefined();
  });

  test('a conditional deletion succeeds', async () => {
    const name = newName();
    await clientOf().put(create(name));
    await expect(clientOf().delete(remove(name))).resolves.toBeUndefined();
    expect(await read(clientOf(), name)).toBeUndefined();
  });

  test('a write whose condition does not hold fails', async () => {
    const name = newName();
    await clientOf().update(claim(name, 'a'));
    await expect(clientOf().update(claim(name, 'b'))).rejects.toBeInstanceOf(ConditionFailedError);
    await expect(clientOf().put(create(name))).rejects.toBeInstanceOf(ConditionFailedError);
    await expect(clientOf().delete(remove(newName()))).resolves.toBeUndefined();
    expect(await read(clientOf(), name)).toMatchObject({ holder: { S: 'a' } });
  });
}

describe('with each write performed twice in memory', () => {
  const client = withRepeatableWrites(repeatingWrites(createMemoryDynamo()));
  suite(() => client);

  test('a write that another process replaced meanwhile fails its condition', async () => {
    const memory = createMemoryDynamo();
    const name = newName();
    const replace = async () => {
      const Item = { ...key(name), holder: { S: 'b' } };
      await memory.put({ TableName, Item });
    };
    const replaced = withRepeatableWrites(repeatingWrites(memory, replace));
    expect(await isConditionMet(replaced.update(claim(name, 'a')))).toBe(false);
    expect(await read(memory, name)).toMatchObject({ holder: { S: 'b' } });
  });

  test('a write without a condition and without an increment stores no id', async () => {
    const memory = createMemoryDynamo();
    const plain = withRepeatableWrites(repeatingWrites(memory));
    const name = newName();
    const values = { ':a': { S: 'a' } };
    await plain.update({
      TableName,
      Key: key(name),
      UpdateExpression: 'SET a = :a',
      ExpressionAttributeValues: values,
    });
    expect(await read(memory, name)).toEqual({ ...key(name), a: { S: 'a' } });
  });
});

/** DynamoDB behind a connection that breaks before the first response of each write. */
async function brokenConnections(): Promise<{ port: number; close: () => void }> {
  const tables = dynalite({ createTableMs: 0 });
  const port = await listening(tables);
  const ids = new Set<string>();
  const forward = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(incoming);
    const { method, headers, url: path } = incoming;
    const isWrite = /Update|Put|Delete/u.test(String(headers['x-amz-target']));
    const isLost = isWrite && !ids.has(body.toString());
    ids.add(body.toString());
    const forwarded = send({ port, method, headers, path, agent: false }, (answer) => {
      if (isLost) return void answer.resume().on('end', () => incoming.socket.resetAndDestroy());
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    forwarded.end(body);
  };
  const proxy = createServer((incoming, response) => void forward(incoming, response));
  const close = (): void => {
    proxy.closeAllConnections();
    proxy.close();
    tables.close();
  };
  return { port: await listening(proxy), close };
}

async function listening(server: Server | NetServer): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return isAddress(address) ? address.port : 0;
}

const isAddress = (address: AddressInfo | string | null): address is AddressInfo =>
  typeof address === 'object' && address !== null;

describe.each(['workers', 'fronts', 'the sweeper'])('with connections that break, in %s', (which) => {
  let connection: Awaited<ReturnType<typeof brokenConnections>>;
  let client: Dynamo;
  beforeAll(async () => {
    connection = await brokenConnections();
    const access = awsAccess(connection.port);
    const config = { ...access, endpoint: access.endpoints.dynamodb ?? '' };
    const sdk = new DynamoDB(config);
    await createTestTable(sdk, {
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    });
    sdk.destroy();
    const call =
      which === 'workers'
        ? createDynamoCall(access, { maxAttempts: 3, attemptMs: 3_000 })
        : createAwsCall(access);
    client = which === 'the sweeper' ? createSdkDynamo(config) : fetchDynamo(call);
  });
  afterAll(() => connection.close());
  suite(() => client);
});
