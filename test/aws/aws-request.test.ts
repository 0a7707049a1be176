import { afterEach, describe, expect, test } from '@jest/globals';
import { AwsError, awsCaller, type AwsOperation } from '../../shared/aws/aws-request.ts';
import { changeVisibilities } from '../../shared/aws/sqs-receiver.ts';
import { showMessageIn, sqsQueue } from '../../shared/aws/sqs-queue.ts';
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
const fine: Act = { status: 200, body: '{"Item":{}}' };
const operation: AwsOperation = {
  service: 'dynamodb',
  target: 'DynamoDB_20120810.GetItem',
  input: '{"TableName":"t"}',
};

describe('a signed request', () => {
  test('carries target, type, session token and a signature of the service', async () => {
    const { access, seen } = await aws(fine);
    await expect(awsCaller(access)(operation)).resolves.toEqual({ Item: {} });
    expect(seen[0]?.body).toBe(operation.input);
    expect(seen[0]?.headers).toMatchObject({
      'x-amz-target': operation.target,
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-security-token': 'session',
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/dynamodb\/aws4_request, .*Signature=[0-9a-f]{64}$/,
      ),
    });
  });

  test('goes over a kept connection', async () => {
    const { access, seen } = await aws(fine);
    const call = awsCaller(access);
    await call(operation);
    await call(operation);
    expect(seen[1]?.port).toBe(seen[0]?.port);
  });

  test('uses the version of the protocol that the service asks for', async () => {
    const { access, seen } = await aws(fine);
    await awsCaller(access)({ ...operation, service: 'secretsmanager' });
    expect(seen[0]?.headers['content-type']).toBe('application/x-amz-json-1.1');
  });
});

describe('a failure', () => {
  test.each<[string, Act]>([
    ['a reset connection', 'reset'],
    ['a 500', { status: 500, body: '' }],
    ['a throttle', { status: 400, body: '{"__type":"com.amazonaws#ThrottlingException"}' }],
  ])('%s is tried once more, over a new connection', async (_, act) => {
    const { access, seen } = await aws(fine, act, fine);
    const call = awsCaller(access);
    await call(operation);
    await expect(call(operation)).resolves.toEqual({ Item: {} });
    expect(seen).toHaveLength(3);
    expect(seen[2]?.port).not.toBe(seen[0]?.port);
  });

  test('twice in a row is the end', async () => {
    const { access, seen } = await aws({ status: 503, body: 'busy' });
    await expect(awsCaller(access)(operation)).rejects.toMatchObject({ status: 503, code: 'Unknown' });
    expect(seen).toHaveLength(2);
  });

  test('by refusal is told by its code at once, without content', async () => {
    const body =
      '{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","message":"private"}';
    const { access, seen } = await aws({ status: 400, body });
    const error: unknown = await awsCaller(access)(operation).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AwsError);
    expect(error).toMatchObject({ status: 400, code: 'ConditionalCheckFailedException' });
    expect(String(error)).not.toContain('private');
    expect(seen).toHaveLength(1);
  });

  test('by silence ends at the deadline and is not tried again', async () => {
    const { access, seen } = await aws('silent');
    const call = awsCaller(access, { deadlineMs: 40 });
    await expect(call(operation)).rejects.toMatchObject({ status: 0, code: 'Timeout' });
    expect(seen).toHaveLength(1);
  });

  test('by an answer that is too large, or none of JSON', async () => {
    const large = await aws({ status: 200, body: JSON.stringify('x'.repeat(2 ** 21)) });
    await expect(awsCaller(large.access)(operation)).rejects.toMatchObject({
      code: 'TooLarge',
    });
    const html = await aws({ status: 200, body: '<html>' });
    await expect(awsCaller(html.access)(operation)).rejects.toMatchObject({ code: 'NotJson' });
  });

  test.each<[string, Act[], boolean]>([
    ['was refused', [{ status: 400, body: '{"__type":"AccessDenied"}' }], false],
    ['failed', [{ status: 503, body: '' }], true],
    ['broke off, whatever its repetition came to', ['reset', { status: 400, body: '' }], true],
    [
      'was throttled, and then refused',
      [
        { status: 400, body: '{"__type":"ThrottlingException"}' },
        { status: 400, body: '' },
      ],
      false,
    ],
  ])('of what %s: whether it may have been done all the same', async (_, acts, mayBeDone) => {
    const { access } = await aws(...acts);
    await expect(awsCaller(access)(operation)).rejects.toMatchObject({ mayBeDone });
  });

  test('by a port where nobody listens', async () => {
    const { access, close } = await awsServer(fine);
    close();
    await expect(awsCaller(access)(operation)).rejects.toMatchObject({
      status: 0,
      code: 'ECONNREFUSED',
      mayBeDone: false,
    });
    expect(awsAccess(1).region).toBe('eu-central-1');
  });
});

describe('the queue', () => {
  test('sends with group and deduplication', async () => {
    const { access, seen } = await aws({ status: 200, body: '{"MessageId":"1"}' });
    await sqsQueue('http://q/1', awsCaller(access)).send('body', 'group', 'dedup');
    expect(seen[0]?.headers['x-amz-target']).toBe('AmazonSQS.SendMessage');
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({
      QueueUrl: 'http://q/1',
      MessageBody: 'body',
      MessageGroupId: 'group',
      MessageDeduplicationId: 'dedup',
    });
  });

  test('a message carries the trace that it belongs to, where there is one', async () => {
    const { access, seen } = await aws({ status: 200, body: '{"MessageId":"1"}' });
    const header = 'Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=0';
    await sqsQueue('http://q/1', awsCaller(access), () => header).send('body', 'group', 'dedup');
    expect(JSON.parse(seen[0]?.body ?? '')).toMatchObject({
      MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: header } },
    });
  });

  test('rejects when the message was not taken', async () => {
    const { access } = await aws({ status: 400, body: '{"__type":"com.amazonaws.sqs#QueueDoesNotExist"}' });
    await expect(sqsQueue('http://q/1', awsCaller(access)).send('b', 'g', 'd')).rejects.toMatchObject({
      code: 'QueueDoesNotExist',
    });
  });

  test.each([
    [0.2, 1],
    [-1, 0],
    [1e6, 42_300],
  ])('hides a message for %d s as %d', async (seconds, sent) => {
    const { access, seen } = await aws({ status: 200, body: '{}' });
    await changeVisibilities('http://q/1', awsCaller(access))([{ receipt: 'handle', seconds }]);
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({
      QueueUrl: 'http://q/1',
      Entries: [{ Id: '0', ReceiptHandle: 'handle', VisibilityTimeout: sent }],
    });
  });

  test('shows a hidden message at once, and takes a void receipt for shown', async () => {
    const { access, seen } = await aws(
      { status: 200, body: '{}' },
      { status: 400, body: '{"__type":"com.amazonaws.sqs#MessageNotInflight"}' },
    );
    const show = showMessageIn('http://q/1', awsCaller(access));
    await show('handle');
    await show('void');
    expect(seen[0]?.headers['x-amz-target']).toBe('AmazonSQS.ChangeMessageVisibility');
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({
      QueueUrl: 'http://q/1',
      ReceiptHandle: 'handle',
      VisibilityTimeout: 0,
    });
    expect(seen).toHaveLength(2);
  });

  test('hides ten messages by one call', async () => {
    const { access, seen } = await aws(fine, fine);
    const messages = Array.from({ length: 11 }, (_, n) => ({ receipt: `r${n}`, seconds: 20 }));
    await changeVisibilities('http://q/1', awsCaller(access))(messages);
    const sizes = seen.map(({ body }) => body.split('ReceiptHandle').length - 1);
    expect(sizes.toSorted((a, b) => a - b)).toEqual([1, 10]);
  });
});
