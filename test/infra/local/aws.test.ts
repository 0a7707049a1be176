import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { createAwsServer } from '../../../infra/local/emulator/aws-endpoint.ts';
import { NO_JOURNAL } from './emulator/sqs/no-journal.ts';
import { listen } from '../../../infra/local/listen.ts';
import { Queues } from '../../../infra/local/emulator/sqs/queues.ts';
import { createSecretOperations } from '../../../infra/local/emulator/secrets.ts';
import { createSqsOperations } from '../../../infra/local/emulator/sqs/server.ts';

const KEY = 'LOCALKEY';
const credentials = { accessKeyId: KEY, secretAccessKey: 'local' };
const RULES = { name: 'q.fifo', visibilityMs: 30_000, retentionMs: 1e9, contentDedup: false } as const;

let count = 0;
const queues = new Queues(
  [{ ...RULES, dedupScope: 'messageGroup' }],
  NO_JOURNAL,
  [],
  Date.now,
  () => `token-${(count += 1)}`,
);
const arn = 'arn:aws:secretsmanager:us-east-1:000000000000:secret:Signing';
const server = createAwsServer(KEY, () => ({
  ...createSqsOperations(queues, (name) => `${endpoint}/000000000000/${name}`),
  ...createSecretOperations([{ arn, name: 'Signing', value: '{"current":"s3cret"}' }]),
}));
let endpoint = '';
let sqs: SQSClient;
let secrets: SecretsManagerClient;
let QueueUrl = '';

beforeAll(async () => {
  endpoint = `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}`;
  QueueUrl = `${endpoint}/000000000000/q.fifo`;
  const options = { region: 'us-east-1', credentials, endpoint, maxAttempts: 1 };
  sqs = new SQSClient(options);
  secrets = new SecretsManagerClient(options);
});

afterAll(() => {
  sqs.destroy();
  secrets.destroy();
  server.close();
  server.closeAllConnections();
});

const send = (MessageBody: string, MessageGroupId: string, MessageDeduplicationId: string) =>
  sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, MessageGroupId, MessageDeduplicationId }));
const receive = (more: Partial<ConstructorParameters<typeof ReceiveMessageCommand>[0]> = {}) =>
  sqs.send(
    new ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: 10,
      MessageSystemAttributeNames: ['All'],
      ...more,
    }),
  );

describe('the real SQS client', () => {
  test('sends, receives in order, and deletes', async () => {
    const first = await send('grüße', 'g', '1');
    const again = await send('grüße', 'g', '1');
    expect(again.MessageId).toBe(first.MessageId);
    const batch = new SendMessageBatchCommand({
      QueueUrl,
      Entries: [{ Id: 'x', MessageBody: 'two', MessageGroupId: 'g', MessageDeduplicationId: '2' }],
    });
    expect((await sqs.send(batch)).Successful?.[0]?.Id).toBe('x');
    const { Messages = [] } = await receive();
    expect(Messages.map(({ Body }) => Body)).toEqual(['grüße', 'two']);
    expect(Messages[0]?.Attributes).toMatchObject({ MessageGroupId: 'g', ApproximateReceiveCount: '1' });
    for (const { ReceiptHandle } of Messages)
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    const left = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }));
    expect(left.Attributes?.['ApproximateNumberOfMessages']).toBe('0');
  });

  test('receives a message attribute with the checksum that it expects', async () => {
    const MessageAttributes = { trace: { DataType: 'String', StringValue: 'abc' } };
    await sqs.send(
      new SendMessageCommand({
        QueueUrl,
        MessageBody: 'm',
        MessageGroupId: 'h',
        MessageDeduplicationId: '1',
        MessageAttributes,
      }),
    );
    const { Messages = [] } = await receive({ MessageAttributeNames: ['All'] });
    expect(Messages[0]?.MessageAttributes?.['trace']?.StringValue).toBe('abc');
    // Computed with another program by the published rule.
    expect(Messages[0]?.MD5OfMessageAttributes).toBe('7e45be12b1fb4cf84869065ab4ab94a7');
    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: Messages[0]?.ReceiptHandle }));
  });

  test('makes a message visible again, and waits for a message with long polling', async () => {
    await send('late', 'i', '1');
    const { Messages = [] } = await receive();
    const ReceiptHandle = Messages[0]?.ReceiptHandle;
    const waiting = receive({ WaitTimeSeconds: 20 });
    await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }));
    const [again] = (await waiting).Messages ?? [];
    expect(again?.Attributes?.['ApproximateReceiveCount']).toBe('2');
    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: again?.ReceiptHandle }));
  });

  test('gets the errors of SQS, with their names', async () => {
    await expect(sqs.send(new GetQueueUrlCommand({ QueueName: 'none.fifo' }))).rejects.toThrow(
      'does not exist',
    );
    expect((await sqs.send(new GetQueueUrlCommand({ QueueName: 'q.fifo' }))).QueueUrl).toBe(QueueUrl);
    const noGroup = new SendMessageCommand({ QueueUrl, MessageBody: 'x', MessageDeduplicationId: '1' });
    await expect(sqs.send(noGroup)).rejects.toMatchObject({ name: 'InvalidParameterValue' });
    const noDedup = new SendMessageCommand({ QueueUrl, MessageBody: 'x', MessageGroupId: '1' });
    await expect(sqs.send(noDedup)).rejects.toMatchObject({ name: 'InvalidParameterValue' });
    const large = new SendMessageCommand({
      QueueUrl,
      MessageBody: 'x'.repeat(1_048_577),
      MessageGroupId: '1',
      MessageDeduplicationId: '1',
    });
    await expect(sqs.send(large)).rejects.toMatchObject({ name: 'InvalidParameterValue' });
    const nowhere = new DeleteMessageCommand({ QueueUrl, ReceiptHandle: 'made-up' });
    await expect(sqs.send(nowhere)).rejects.toMatchObject({ name: 'ReceiptHandleIsInvalid' });
  });
});

describe('the real Secrets Manager client', () => {
  test('reads a secret by ARN and by name, and no other one', async () => {
    for (const SecretId of [arn, 'Signing']) {
      expect((await secrets.send(new GetSecretValueCommand({ SecretId }))).SecretString).toBe(
        '{"current":"s3cret"}',
      );
    }
    const other = secrets.send(new GetSecretValueCommand({ SecretId: 'Other' }));
    await expect(other).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });

  test('gets an error with another access key or an unknown operation', async () => {
    const stranger = new SecretsManagerClient({
      region: 'us-east-1',
      endpoint,
      maxAttempts: 1,
      credentials: { ...credentials, accessKeyId: 'LOCALKEY2' },
    });
    await expect(stranger.send(new GetSecretValueCommand({ SecretId: arn }))).rejects.toThrow('access key');
    stranger.destroy();
    const authorization = `AWS4-HMAC-SHA256 Credential=${KEY}/20260101/us-east-1/sqs/aws4_request`;
    for (const [target, body, status] of [
      ['AmazonSQS.Purge', '{}', 400],
      ['AmazonSQS.SendMessage', '{', 400],
      ['toString', '{}', 400],
    ] as const) {
      const answer = await fetch(endpoint, {
        method: 'POST',
        body,
        headers: { authorization, 'x-amz-target': target },
      });
      expect([target, answer.status]).toEqual([target, status]);
    }
  });
});
