import { afterEach, expect, test } from '@jest/globals';
import { createSdkDynamo, createTableScan } from '../../../shared/storage/index.ts';
import { type Act, awsServer } from '../../runtime/aws.ts';

let server: Awaited<ReturnType<typeof awsServer>> | undefined;
afterEach(() => server?.close());

const DONE: Act = { status: 200, body: '{"Item":{"pk":{"S":"a"}},"Items":[]}' };
const TIMEOUT_MS = 50;

/** A server that acts so, and what a client needs to reach it. */
async function start(...acts: Act[]) {
  server = await awsServer(...acts);
  const { region, credentials, endpoints } = server.access;
  return {
    requests: server.requests,
    config: { region, credentials, ...(endpoints.dynamodb && { endpoint: endpoints.dynamodb }) },
  };
}

test('a request without a response is sent again after its timeout', async () => {
  const { requests, config } = await start('silent', DONE);
  const dynamo = createSdkDynamo(config, TIMEOUT_MS);
  const { Item } = await dynamo.get({ TableName: 't', Key: { pk: { S: 'a' } } });
  expect(Item).toEqual({ pk: { S: 'a' } });
  expect(requests).toHaveLength(2);
});

test('a request that never gets a response fails after three attempts', async () => {
  const { requests, config } = await start('silent');
  const dynamo = createSdkDynamo(config, TIMEOUT_MS);
  const read = dynamo.get({ TableName: 't', Key: { pk: { S: 'a' } } });
  await expect(read).rejects.toMatchObject({ name: 'TimeoutError' });
  expect(requests).toHaveLength(3);
});

test('a page of a scan without a response is requested again after its timeout', async () => {
  const { requests, config } = await start('silent', DONE);
  expect((await createTableScan(config, TIMEOUT_MS)({ TableName: 't' })).Items).toEqual([]);
  expect(requests).toHaveLength(2);
});
