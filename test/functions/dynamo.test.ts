import { afterEach, expect, test } from '@jest/globals';
import { dynamoFor, limitsDynamo } from '../../functions/dynamo.ts';
import { type Act, awsServer } from '../runtime/aws.ts';

const Key = { pk: { S: 'p' } };
const found = { status: 200, body: JSON.stringify({ Item: Key }) };
const busy = { status: 400, body: '{"__type":"com.amazonaws#ThrottlingException"}' };

let close: (() => void) | undefined;
afterEach(() => close?.());

async function aws(...acts: Act[]) {
  const server = await awsServer(...acts);
  close = () => server.close();
  return { config: { aws: server.access }, seen: server.seen };
}

test('a table that is busy twice is asked a third time', async () => {
  const { config, seen } = await aws(busy, busy, found);
  await expect(dynamoFor(config).get({ TableName: 't', Key })).resolves.toEqual({ Item: Key });
  expect(seen).toHaveLength(3);
});

test('a call that does not end is made once more', async () => {
  const { config, seen } = await aws('silent', found);
  await expect(dynamoFor(config, 50).get({ TableName: 't', Key })).resolves.toEqual({ Item: Key });
  expect(seen).toHaveLength(2);
});

test('a take of the limits is sent once', async () => {
  const { config, seen } = await aws(busy, found);
  await expect(limitsDynamo(config).update({ TableName: 't', Key })).rejects.toMatchObject({
    code: 'ThrottlingException',
  });
  expect(seen).toHaveLength(1);
});
