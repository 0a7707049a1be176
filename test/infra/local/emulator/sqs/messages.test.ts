import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  SendMessageCommand,
  type SendMessageCommandInput,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { createAwsServer } from '../../../../../infra/local/emulator/aws-endpoint.ts';
import { NO_JOURNAL } from './no-journal.ts';
import { listen } from '../../../../../infra/local/listen.ts';
import { Queues } from '../../../../../infra/local/emulator/sqs/queues.ts';
import { createSqsOperations } from '../../../../../infra/local/emulator/sqs/server.ts';
import { createAwsCall } from '../../../../../shared/aws/aws-request.ts';
import { changeVisibilities } from '../../../../../shared/aws/sqs-receiver.ts';
import { createSqsQueue } from '../../../../../shared/aws/sqs-queue.ts';

const KEY = 'LOCALKEY';
const credentials = { accessKeyId: KEY, secretAccessKey: 'local' };
const MIB = 1_048_576;
const RULES = { visibilityMs: 30_000, retentionMs: 1e9, contentDedup: false } as const;

let queues: Queues;
let passedMs = 0;
let endpoint = '';
let sqs: SQSClient;
let QueueUrl = '';
const server = createAwsServer(KEY, () =>
  createSqsOperations(queues, (name) => `${endpoint}/000000000000/${name}`),
);

beforeAll(async () => {
  endpoint = `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}`;
  QueueUrl = `${endpoint}/000000000000/q.fifo`;
  sqs = new SQSClient({ region: 'us-east-1', credentials, endpoint, maxAttempts: 1 });
});

beforeEach(() => {
  let count = 0;
  passedMs = 0;
  const rules = { ...RULES, name: 'q.fifo', dedupScope: 'messageGroup' } as const;
  queues = new Queues(
    [rules],
    NO_JOURNAL,
    [],
    () => Date.now() + passedMs,
    () => `token-${(count += 1)}`,
  );
});

afterAll(() => {
  sqs.destroy();
  server.close();
  server.closeAllConnections();
});

const send = (more: Partial<SendMessageCommandInput>) =>
  sqs.send(
    new SendMessageCommand({
      QueueUrl,
      MessageBody: 'x',
      MessageGroupId: 'g',
      MessageDeduplicationId: '1',
      ...more,
    }),
  );
const entry = (Id: string, more: Partial<SendMessageBatchRequestEntry> = {}) => ({
  Id,
  MessageBody: Id,
  MessageGroupId: 'g',
  MessageDeduplicationId: Id,
  ...more,
});
const sendBatch = (Entries: SendMessageBatchRequestEntry[]) =>
  sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
const bodies = async () => {
  const answer = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
  return (answer.Messages ?? []).map(({ Body }) => Body);
};
const text = (StringValue: string) => ({ DataType: 'String', StringValue });

describe('the local queue accepts what SQS accepts', () => {
  test.each(['\t\n\r', '\u007F\u0085', '\uD7FF\uE000\uFFFD', '\u{10000}\u{1FFFE}\u{10FFFF}'])(
    '%j',
    async (MessageBody) => {
      await send({ MessageBody });
      expect(await bodies()).toEqual([MessageBody]);
    },
  );

  test('1 MiB, counted in bytes', async () => {
    await send({ MessageBody: 'é'.repeat(MIB / 2) });
    expect(queues.counts('q.fifo').visible).toBe(1);
  });
});

describe('the local queue rejects what SQS rejects', () => {
  test.each(['\u0000', '\u0008', '\u001F', '\uFFFE', '\uFFFF'])('a body with %j', async (one) => {
    await expect(send({ MessageBody: `a${one}b` })).rejects.toMatchObject({ name: 'InvalidMessageContents' });
    const MessageAttributes = { one: text(`a${one}b`) };
    await expect(send({ MessageAttributes })).rejects.toMatchObject({ name: 'InvalidMessageContents' });
    expect(await bodies()).toEqual([]);
  });

  test.each<[string, Partial<SendMessageCommandInput>]>([
    ['an empty body', { MessageBody: '' }],
    ['one byte more than 1 MiB', { MessageBody: 'x'.repeat(MIB + 1) }],
    [
      '1 MiB with an attribute beside it',
      { MessageBody: 'x'.repeat(MIB), MessageAttributes: { a: text('b') } },
    ],
    [
      'eleven attributes',
      {
        MessageAttributes: Object.fromEntries(
          Array.from({ length: 11 }, (_, i) => [`a${i}`, text('b')] as const),
        ),
      },
    ],
    ['an attribute without a value', { MessageAttributes: { a: text('') } }],
    ['a delay of more than 900 s', { DelaySeconds: 901 }],
    ['a delay below 0', { DelaySeconds: -1 }],
    ['a delay of one message in a FIFO queue', { DelaySeconds: 5 }],
    ['a group with a blank', { MessageGroupId: 'a b' }],
    ['a group of 129 characters', { MessageGroupId: 'g'.repeat(129) }],
    ['a deduplication id beyond ASCII', { MessageDeduplicationId: 'é' }],
  ])('%s', async (_, more) => {
    await expect(send(more)).rejects.toMatchObject({ name: 'InvalidParameterValue' });
    expect(await bodies()).toEqual([]);
  });

  test.each<[string, SendMessageBatchRequestEntry[]]>([
    ['EmptyBatchRequest', []],
    ['TooManyEntriesInBatchRequest', Array.from({ length: 11 }, (_, i) => entry(`e${i}`))],
    ['BatchEntryIdsNotDistinct', [entry('a'), entry('a')]],
    ['InvalidBatchEntryId', [entry('a b')]],
    ['InvalidBatchEntryId', [entry('a'.repeat(81))]],
    [
      'BatchRequestTooLong',
      [
        entry('a', { MessageBody: 'x'.repeat(MIB / 2) }),
        entry('b', { MessageBody: 'x'.repeat(MIB / 2 + 1) }),
      ],
    ],
  ])('a batch: %s', async (name, entries) => {
    await expect(sendBatch(entries)).rejects.toMatchObject({ name });
    expect(await bodies()).toEqual([]);
  });

  test('only the invalid entry of a batch, and accepts the others', async () => {
    const answer = await sendBatch([entry('a'), entry('b', { MessageBody: '\uFFFF' }), entry('c')]);
    expect(answer.Successful?.map(({ Id }) => Id)).toEqual(['a', 'c']);
    expect(answer.Failed).toMatchObject([{ Id: 'b', SenderFault: true, Code: 'InvalidMessageContents' }]);
    expect(await bodies()).toEqual(['a', 'c']);
  });
});

test('any JSON is delivered as it was sent', async () => {
  const aws = createAwsCall({ region: 'us-east-1', credentials, endpoints: { sqs: endpoint } });
  const body = JSON.stringify({ text: 'a\uFFFE\uFFFF\u0000\uD800b', 'key\uFFFF': '\\uffff 🎈' });
  await createSqsQueue(QueueUrl, aws).send(body, 'g', '1');
  const [received = ''] = await bodies();
  expect(JSON.parse(received)).toEqual(JSON.parse(body));
});

test('the trace header of a message is delivered and does not count; other system attributes are rejected', async () => {
  const StringValue = 'Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=0';
  const MessageSystemAttributes = { AWSTraceHeader: { DataType: 'String', StringValue } };
  await send({ MessageBody: 'x'.repeat(MIB), MessageSystemAttributes });
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl, MessageSystemAttributeNames: ['AWSTraceHeader'] }),
  );
  expect(Messages[0]?.Attributes?.AWSTraceHeader).toBe(StringValue);
  const other = { SenderId: { DataType: 'String', StringValue: 'me' } };
  // @ts-expect-error -- the client knows that there is no other
  await expect(send({ MessageSystemAttributes: other })).rejects.toThrow(/MessageSystemAttributes/u);
});

async function receiptOfOne() {
  await send({});
  const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout: 900 }));
  return Messages[0]?.ReceiptHandle ?? '';
}

describe('the visibility timeout', () => {
  const HOUR_S = 3_600;

  test('is at most twelve hours from the receipt', async () => {
    const ReceiptHandle = await receiptOfOne();
    passedMs = 600_000;
    const input = { QueueUrl, ReceiptHandle, VisibilityTimeout: 12 * HOUR_S };
    await expect(sqs.send(new ChangeMessageVisibilityCommand(input))).rejects.toThrow(
      /Total VisibilityTimeout/u,
    );
    const Entries = [{ Id: '0', ReceiptHandle, VisibilityTimeout: 12 * HOUR_S }];
    const { Failed } = await sqs.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
    expect(Failed).toMatchObject([{ Id: '0', SenderFault: true, Code: 'InvalidParameterValue' }]);
  });

  test('that a worker requests is what remains after the longest invocation', async () => {
    const receipt = await receiptOfOne();
    passedMs = 890_000;
    const aws = createAwsCall({ region: 'us-east-1', credentials, endpoints: { sqs: endpoint } });
    await changeVisibilities(QueueUrl, aws)([{ receipt, seconds: 1e9 }]);
    passedMs += 11 * HOUR_S * 1_000;
    expect(queues.counts('q.fifo')).toEqual({ visible: 0, inFlight: 1 });
  });
});
