import { expect, test } from '@jest/globals';
import type { SQSRecord } from 'aws-lambda';
import { type BatchDeps, serveBatch } from '../../functions/batch.ts';

const record = (group: string, body: string): SQSRecord => ({
  messageId: body,
  receiptHandle: `receipt-${body}`,
  body,
  attributes: {
    ApproximateReceiveCount: '1',
    SentTimestamp: '0',
    SenderId: 'front',
    ApproximateFirstReceiveTimestamp: '0',
    MessageGroupId: group,
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: '',
  awsRegion: 'local',
});

/** Serves one batch with ten minutes; time stands still but for what `serve` adds to `clock`. */
function served(records: SQSRecord[], serve: BatchDeps['serve'], clock = { now: 0 }) {
  const removed: string[] = [];
  const hidden: string[] = [];
  const done = serveBatch(
    { Records: records },
    { getRemainingTimeInMillis: () => 600_000 },
    {
      serve,
      hide: (receipt, seconds) => Promise.resolve(void hidden.push(`${receipt} ${seconds}`)),
      remove: (receipt) => Promise.resolve(void removed.push(receipt)),
      time: {
        now: () => clock.now,
        sleep: (_, signal) =>
          new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
      },
      log: () => undefined,
    },
  );
  return { done, removed, hidden };
}

const DONE = { kind: 'done' } as const;

test('a thread goes on although another of its batch takes long; the last one costs no call', async () => {
  const slow = Promise.withResolvers<typeof DONE>();
  const quick = Promise.withResolvers<void>();
  const { done, removed } = served([record('a', 'slow'), record('b', 'quick')], (body) => {
    if (body === 'slow') return slow.promise;
    quick.resolve();
    return Promise.resolve(DONE);
  });
  await quick.promise;
  await new Promise((resolve) => setImmediate(resolve));
  expect(removed).toEqual(['receipt-quick']);
  slow.resolve(DONE);
  expect(await done).toEqual({ batchItemFailures: [] });
  expect(removed).toEqual(['receipt-quick']);
});

test('what waits behind a long answer is given back, with what is behind it, rather than begun and cut off', async () => {
  const clock = { now: 0 };
  const begun: string[] = [];
  const records = [record('a', 'first'), record('a', 'second'), record('a', 'third')];
  const serve: BatchDeps['serve'] = (body) => {
    begun.push(body);
    clock.now += 400_000;
    return Promise.resolve(DONE);
  };
  const { done, hidden } = served(records, serve, clock);
  const { batchItemFailures } = await done;
  expect(begun).toEqual(['first']);
  expect(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)).toEqual(['second', 'third']);
  expect(hidden).toEqual(expect.arrayContaining(['receipt-second 0', 'receipt-third 0']));
});
