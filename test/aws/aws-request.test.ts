import { afterEach, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import * as v from 'valibot';
import { AwsError, createAwsCall, type AwsOperation } from '../../shared/aws/aws-request.ts';
import { changeVisibilities } from '../../shared/aws/sqs-receiver.ts';
import { createShowMessage, createSqsQueue } from '../../shared/aws/sqs-queue.ts';
import { type Act, awsAccess, awsServer } from '../runtime/aws.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});
async function aws(...acts: Act[]) {
  const server = await awsServer(...acts);
  closers.push(server.close);
  return server;
}
/** A server that receives requests and never responds, and the connection of the first one. */
async function silentServer() {
  const arrived = Promise.withResolvers<Socket>();
  const server = createServer(({ socket }) => arrived.resolve(socket)).listen(0, '127.0.0.1');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const { port } = v.parse(v.object({ port: v.number() }), server.address());
  return { port, arrived: arrived.promise };
}

const fine: Act = { status: 200, body: '{"Item":{}}' };
const operation: AwsOperation = {
  service: 'dynamodb',
  target: 'DynamoDB_20120810.GetItem',
  input: '{"TableName":"t"}',
};

describe('a signed request', () => {
  test('contains target, content type, session token and signature', async () => {
    const { access, requests } = await aws(fine);
    await expect(createAwsCall(access)(operation)).resolves.toEqual({ Item: {} });
    expect(requests[0]?.body).toBe(operation.input);
    expect(requests[0]?.headers).toMatchObject({
      'x-amz-target': operation.target,
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-security-token': 'session',
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/dynamodb\/aws4_request, .*Signature=[0-9a-f]{64}$/,
      ),
    });
  });

  test('reuses a connection', async () => {
    const { access, requests } = await aws(fine);
    const call = createAwsCall(access);
    await call(operation);
    await call(operation);
    expect(requests[1]?.port).toBe(requests[0]?.port);
  });

  test('uses the protocol version of the service', async () => {
    const { access, requests } = await aws(fine);
    await createAwsCall(access)({ ...operation, service: 'secretsmanager' });
    expect(requests[0]?.headers['content-type']).toBe('application/x-amz-json-1.1');
  });
});

describe('a failure', () => {
  test.each<[string, Act]>([
    ['a reset connection', 'reset'],
    ['a 500', { status: 500, body: '' }],
    ['a throttle', { status: 400, body: '{"__type":"com.amazonaws#ThrottlingException"}' }],
  ])('%s is tried once more, over a new connection', async (_, act) => {
    const { access, requests } = await aws(fine, act, fine);
    const call = createAwsCall(access);
    await call(operation);
    await expect(call(operation)).resolves.toEqual({ Item: {} });
    expect(requests).toHaveLength(3);
    expect(requests[2]?.port).not.toBe(requests[0]?.port);
  });

  test('is not retried a second time', async () => {
    const { access, requests } = await aws({ status: 503, body: 'busy' });
    await expect(createAwsCall(access)(operation)).rejects.toMatchObject({ status: 503, code: 'Unknown' });
    expect(requests).toHaveLength(2);
  });

  test('with a 4xx throws its error code immediately, without content', async () => {
    const body =
      '{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","message":"private"}';
    const { access, requests } = await aws({ status: 400, body });
    const error: unknown = await createAwsCall(access)(operation).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AwsError);
    expect(error).toMatchObject({ status: 400, code: 'ConditionalCheckFailedException' });
    expect(String(error)).not.toContain('private');
    expect(requests).toHaveLength(1);
  });

  test('with no response ends at the timeout and is not retried', async () => {
    const { access, requests } = await aws('silent');
    const call = createAwsCall(access, { deadlineMs: 500 });
    await expect(call(operation)).rejects.toMatchObject({ status: 0, code: 'Timeout' });
    expect(requests).toHaveLength(1);
  });

  test('to respond before the abort closes the connection; after the abort nothing is sent', async () => {
    const { port, arrived } = await silentServer();
    const controller = new AbortController();
    const { signal } = controller;
    const call = createAwsCall(awsAccess(port));
    const sent = call({ ...operation, signal });
    const socket = await arrived;
    const closed = once(socket, 'close');
    controller.abort(new Error('the process ends'));
    await expect(sent).rejects.toMatchObject({ code: 'Timeout' });
    await closed;
    await expect(call({ ...operation, signal })).rejects.toMatchObject({ code: 'NotSent' });
  });

  test('to get a connection before the abort was not sent, and cannot have succeeded', async () => {
    const { port, arrived } = await silentServer();
    const controller = new AbortController();
    const { signal } = controller;
    const call = createAwsCall(awsAccess(port), { maxConnections: 1 });
    const both = Promise.allSettled([call({ ...operation, signal }), call({ ...operation, signal })]);
    await arrived;
    controller.abort(new Error('the process ends'));
    const [sent, waiting] = await both;
    expect(sent).toMatchObject({ reason: { code: 'Timeout', mayHaveSucceeded: true } });
    expect(waiting).toMatchObject({ reason: { status: 0, code: 'NotSent', mayHaveSucceeded: false } });
  });

  test('throws for a response that is too large or not JSON', async () => {
    const large = await aws({ status: 200, body: JSON.stringify('x'.repeat(2 ** 21)) });
    await expect(createAwsCall(large.access)(operation)).rejects.toMatchObject({
      code: 'TooLarge',
    });
    const html = await aws({ status: 200, body: '<html>' });
    await expect(createAwsCall(html.access)(operation)).rejects.toMatchObject({ code: 'NotJson' });
  });

  test.each<[string, Act[], boolean]>([
    ['a 4xx', [{ status: 400, body: '{"__type":"AccessDenied"}' }], false],
    ['a 5xx', [{ status: 503, body: '' }], true],
    ['a broken connection, whatever the retry returns', ['reset', { status: 400, body: '' }], true],
    [
      'throttling, then a 4xx',
      [
        { status: 400, body: '{"__type":"ThrottlingException"}' },
        { status: 400, body: '' },
      ],
      false,
    ],
  ])('%s: says whether the operation may have succeeded', async (_, acts, mayHaveSucceeded) => {
    const { access } = await aws(...acts);
    await expect(createAwsCall(access)(operation)).rejects.toMatchObject({ mayHaveSucceeded });
  });

  test('throws when the connection is refused', async () => {
    const { access, close } = await awsServer(fine);
    close();
    await expect(createAwsCall(access)(operation)).rejects.toMatchObject({
      status: 0,
      code: 'ECONNREFUSED',
      mayHaveSucceeded: false,
    });
    expect(awsAccess(1).region).toBe('eu-central-1');
  });
});

describe('the queue', () => {
  test('sends group and deduplication id', async () => {
    const { access, requests } = await aws({ status: 200, body: '{"MessageId":"1"}' });
    await createSqsQueue('http://q/1', createAwsCall(access)).send('body', 'group', 'dedup');
    expect(requests[0]?.headers['x-amz-target']).toBe('AmazonSQS.SendMessage');
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
      QueueUrl: 'http://q/1',
      MessageBody: 'body',
      MessageGroupId: 'group',
      MessageDeduplicationId: 'dedup',
    });
  });

  test('adds the trace to a message if there is one', async () => {
    const { access, requests } = await aws({ status: 200, body: '{"MessageId":"1"}' });
    const header = 'Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=0';
    await createSqsQueue('http://q/1', createAwsCall(access), () => header).send('body', 'group', 'dedup');
    expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({
      MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: header } },
    });
  });

  test('rejects when the message was not accepted', async () => {
    const { access } = await aws({ status: 400, body: '{"__type":"com.amazonaws.sqs#QueueDoesNotExist"}' });
    await expect(
      createSqsQueue('http://q/1', createAwsCall(access)).send('b', 'g', 'd'),
    ).rejects.toMatchObject({
      code: 'QueueDoesNotExist',
    });
  });

  test.each([
    [0.2, 1],
    [-1, 0],
    [1e6, 42_300],
  ])('hides a message for %d s as %d', async (seconds, sent) => {
    const { access, requests } = await aws({ status: 200, body: '{}' });
    await changeVisibilities('http://q/1', createAwsCall(access))([{ receipt: 'handle', seconds }]);
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
      QueueUrl: 'http://q/1',
      Entries: [{ Id: '0', ReceiptHandle: 'handle', VisibilityTimeout: sent }],
    });
  });

  test('makes a hidden message visible, and ignores an invalid receipt handle', async () => {
    const { access, requests } = await aws(
      { status: 200, body: '{}' },
      { status: 400, body: '{"__type":"com.amazonaws.sqs#MessageNotInflight"}' },
    );
    const show = createShowMessage('http://q/1', createAwsCall(access));
    await show('handle');
    await show('void');
    expect(requests[0]?.headers['x-amz-target']).toBe('AmazonSQS.ChangeMessageVisibility');
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
      QueueUrl: 'http://q/1',
      ReceiptHandle: 'handle',
      VisibilityTimeout: 0,
    });
    expect(requests).toHaveLength(2);
  });

  test('hides ten messages with one request', async () => {
    const { access, requests } = await aws(fine, fine);
    const messages = Array.from({ length: 11 }, (_, n) => ({ receipt: `r${n}`, seconds: 20 }));
    await changeVisibilities('http://q/1', createAwsCall(access))(messages);
    const sizes = requests.map(({ body }) => body.split('ReceiptHandle').length - 1);
    expect(sizes.toSorted((a, b) => a - b)).toEqual([1, 10]);
  });
});
