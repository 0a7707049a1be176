import { expect, test } from '@jest/globals';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { serveIsolated } from '../../functions/composition/process/sqs-batch.ts';
import { serializeIsolated } from '../../shared/task-queue/index.ts';
import { DONE, message, queueHarness } from '../task-queue/queue-harness.ts';

const TASK = message('thread', 'large');

const note = (body: string): SQSEvent => {
  const record: SQSRecord = {
    messageId: 'note',
    receiptHandle: 'receipt-of-note',
    body,
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: '0',
      SenderId: 'worker',
      ApproximateFirstReceiveTimestamp: '0',
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: '',
    awsRegion: 'local',
  };
  return { Records: [record] };
};
const lambda = { getRemainingTimeInMillis: () => 700_000 };

function largeWorker() {
  const harness = queueHarness();
  const started: string[] = [];
  const serve = async (body: string) => {
    started.push(body);
    // Its message is deleted too: its receipt is expired from then on.
    harness.lost.push(TASK.receipt);
    return DONE;
  };
  const removeNote = async (receipt: string): Promise<void> => void harness.calls.push(`remove ${receipt}`);
  const run = (body: string) => serveIsolated(note(body), lambda, { ...harness.deps, serve, removeNote });
  return { ...harness, started, run };
}

test('an isolated task is run alone, and its message and its pointer are deleted', async () => {
  const { run, started, calls } = largeWorker();
  expect(await run(serializeIsolated(TASK))).toEqual({ batchItemFailures: [] });
  expect(started).toEqual(['large']);
  expect(calls).toEqual(expect.arrayContaining(['remove receipt-of-note', `delete ${TASK.receipt}`]));
});

test('a pointer that is redelivered after its task is done does nothing', async () => {
  const { run, started } = largeWorker();
  await run(serializeIsolated(TASK));
  await run(serializeIsolated(TASK));
  expect(started).toEqual(['large']);
});

test('a pointer with an expired receipt, because the message came again, is dropped', async () => {
  const { run, started, calls, lost } = largeWorker();
  lost.push(TASK.receipt);
  expect(await run(serializeIsolated(TASK))).toEqual({ batchItemFailures: [] });
  expect(started).toEqual([]);
  expect(calls).not.toContain(`delete ${TASK.receipt}`);
});

test('an unreadable pointer is dropped: its message is redelivered by itself', async () => {
  const { run, started, calls } = largeWorker();
  expect(await run('{"v":2}')).toEqual({ batchItemFailures: [] });
  expect(started).toEqual([]);
  expect(calls).toEqual(['remove receipt-of-note']);
});
