import { afterEach, expect, test } from '@jest/globals';
import { createDynamoCall, DynamoError } from '../../shared/aws/dynamo-request.ts';
import { MAX_CONNECTIONS } from '../../shared/aws/aws-request.ts';
import { type Act, awsServer } from '../runtime/aws.ts';

const OPTIONS = { maxAttempts: 3, attemptMs: 3_000 };
const GET = { service: 'dynamodb', target: 'DynamoDB_20120810.GetItem', input: '{}' } as const;
const DONE: Act = { status: 200, body: '{}' };
const failed = (status: number, type: string): Act => ({
  status,
  body: JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'Why it failed' }),
});

let server: Awaited<ReturnType<typeof awsServer>> | undefined;
afterEach(() => server?.close());

/** Sends one request to a server that acts so. `random` 0: no backoff. */
async function send(acts: Act[], options = OPTIONS): Promise<{ attempts: number; error: unknown }> {
  server = await awsServer(...acts);
  const error = await createDynamoCall(
    server.access,
    options,
    () => 0,
  )(GET).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { attempts: server.requests.length, error };
}

test.each<[string, Act]>([
  ['a broken connection', 'reset'],
  ['an internal error', failed(500, 'InternalServerError')],
  ['throttling', failed(400, 'ThrottlingException')],
  ['too much use of a table', failed(400, 'ProvisionedThroughputExceededException')],
])('a request is retried twice after %s', async (_, act) => {
  expect(await send([act, act, DONE])).toEqual({ attempts: 3, error: undefined });
});

test('a request without a response is retried after its timeout', async () => {
  expect(await send(['silent', DONE], { ...OPTIONS, attemptMs: 50 })).toEqual({
    attempts: 2,
    error: undefined,
  });
});

test('many requests at once share eight connections', async () => {
  server = await awsServer(DONE);
  const call = createDynamoCall(server.access, OPTIONS);
  await Promise.all(Array.from({ length: 40 }, () => call(GET)));
  expect(server.requests).toHaveLength(40);
  expect(new Set(server.requests.map(({ port }) => port)).size).toBe(MAX_CONNECTIONS);
});

test('the last attempt ends with its error', async () => {
  const { attempts, error } = await send([failed(500, 'InternalServerError')]);
  expect(attempts).toBe(3);
  expect(error).toMatchObject({ name: 'InternalServerError', status: 500 });
});

test('a request of one attempt is not retried, because a repeated write would take two permits', async () => {
  const { attempts, error } = await send(['reset', DONE], { ...OPTIONS, maxAttempts: 1 });
  expect(attempts).toBe(1);
  expect(error).toMatchObject({ name: 'ECONNRESET', status: 0 });
});

test('a rejected request is not retried, and its error has the name and the message of DynamoDB', async () => {
  const { attempts, error } = await send([failed(400, 'ValidationException')]);
  expect(attempts).toBe(1);
  expect(error).toBeInstanceOf(DynamoError);
  expect(error).toMatchObject({
    name: 'ValidationException',
    code: 'ValidationException',
    message: 'Why it failed',
  });
});
