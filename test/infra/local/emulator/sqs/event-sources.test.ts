import { afterEach, describe, expect, jest, test } from '@jest/globals';
import * as v from 'valibot';
import { type GroupLock, startDelivery } from '../../../../../infra/local/emulator/sqs/event-sources.ts';
import { NO_JOURNAL } from './no-journal.ts';
import { Queues } from '../../../../../infra/local/emulator/sqs/queues.ts';
import { LOAD_ERROR_TYPE } from '../../../../../infra/local/functions/functions.ts';
import type { InvocationOutcome } from '../../../../../infra/local/functions/thread.ts';

const SOURCE = {
  queue: 'q',
  queueArn: 'arn:q',
  functionId: 'Worker',
  batchSize: 10,
  concurrency: 5,
  partialFailures: true,
};
const Event = v.object({
  Records: v.array(v.object({ messageId: v.string(), body: v.string(), receiptHandle: v.string() })),
});
type Record = v.InferOutput<typeof Event>['Records'][number];
type Handler = (bodies: string[], records: Record[]) => Promise<InvocationOutcome> | InvocationOutcome;

const done = (failed: readonly Record[] = []): InvocationOutcome => ({
  kind: 'answer',
  payload: JSON.stringify({
    batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })),
  }),
});

/** A queue whose function is `handle`, with a mocked clock and jest's timers. */
function set(handle: Handler, source: Partial<typeof SOURCE> = {}, groupLock: GroupLock = 'message') {
  let count = 0;
  const rules = {
    name: 'q',
    visibilityMs: 1000,
    retentionMs: 1e9,
    contentDedup: false,
    dedupScope: 'queue',
  } as const;
  const dead = { ...rules, name: 'dead' };
  const queues = new Queues(
    [dead, { ...rules, deadLetters: { queue: 'dead', maxReceives: 3 } }],
    NO_JOURNAL,
    [],
    Date.now,
    () => `t${(count += 1)}`,
  );
  const batches: string[][] = [];
  const notes: string[] = [];
  const receipts: string[] = [];
  const pause = { untilMs: 0 };
  const stop = startDelivery(
    { ...SOURCE, ...source },
    {
      queues,
      groupLock,
      now: Date.now,
      pauseMs: () => Math.max(0, pause.untilMs - Date.now()),
      note: (line) => notes.push(line),
      invoke: async (_, event) => {
        const { Records } = v.parse(Event, event);
        const bodies = Records.map(({ body }) => body);
        batches.push(bodies);
        receipts.push(...Records.map(({ receiptHandle }) => receiptHandle));
        return await handle(bodies, Records);
      },
    },
  );
  const send = (body: string, group = body) => queues.send('q', { body, group, dedup: body });
  return { queues, batches, notes, receipts, send, stop, pause };
}

/** The mocked clock counts an event loop turn caused by a timer as a millisecond. */
const FEW = 5;

const settle = () => jest.advanceTimersByTimeAsync(0);
const left = ({ queues }: { queues: Queues }) => queues.counts('q');

describe('the delivery of messages', () => {
  jest.useFakeTimers();
  afterEach(() => jest.clearAllTimers());

  test('is immediate, in one batch for simultaneous messages, and deletes handled messages', async () => {
    const one = set(() => done());
    for (const body of ['a', 'b', 'c']) one.send(body);
    await settle();
    expect(one.batches).toEqual([['a', 'b', 'c']]);
    expect(left(one)).toEqual({ visible: 0, inFlight: 0 });
    one.stop();
  });

  test('has several batches of different groups in flight, up to the limit, and one per group', async () => {
    const running: (() => void)[] = [];
    const one = set(() => new Promise((resolve) => running.push(() => resolve(done()))), {
      batchSize: 1,
      concurrency: 2,
    });
    one.send('a1', 'a');
    one.send('a2', 'a');
    one.send('b1', 'b');
    one.send('c1', 'c');
    await settle();
    expect(one.batches).toEqual([['a1'], ['b1']]);
    running[1]?.();
    await settle();
    expect(one.batches).toEqual([['a1'], ['b1'], ['c1']]);
    running[0]?.();
    await settle();
    expect(one.batches.at(-1)).toEqual(['a2']);
    one.stop();
  });

  test('repeats failed messages and the rest of their group after the visibility timeout, and deletes the others', async () => {
    let round = 0;
    const one = set((_, records) =>
      (round += 1) === 1 ? done(records.filter(({ body }) => body === 'a1')) : done(),
    );
    one.send('a1', 'a');
    one.send('a2', 'a');
    one.send('b1', 'b');
    await settle();
    expect(left(one)).toEqual({ visible: 0, inFlight: 2 });
    expect(one.notes.join()).toContain('not message');
    await jest.advanceTimersByTimeAsync(999);
    expect(one.batches).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(FEW);
    expect(one.batches.at(-1)).toEqual(['a1', 'a2']);
    expect(left(one)).toEqual({ visible: 0, inFlight: 0 });
    one.stop();
  });

  test('receives nothing while the function is not started, so that nothing is hidden for the visibility timeout', async () => {
    const one = set(() => done());
    one.pause.untilMs = Date.now() + 500;
    one.send('a');
    await jest.advanceTimersByTimeAsync(400);
    one.send('b');
    await settle();
    expect([one.batches, left(one)]).toEqual([[], { visible: 2, inFlight: 0 }]);
    await jest.advanceTimersByTimeAsync(100 + FEW);
    expect(one.batches).toEqual([['a', 'b']]);
    one.stop();
  });

  test('hides messages for the pause only after their function could not be loaded', async () => {
    const one = set(() => {
      if (one.batches.length > 1) return done();
      one.pause.untilMs = Date.now() + 300;
      return { kind: 'failed', errorType: LOAD_ERROR_TYPE, message: 'no' };
    });
    one.send('a');
    await settle();
    await jest.advanceTimersByTimeAsync(290);
    expect([one.batches, left(one)]).toEqual([[['a']], { visible: 0, inFlight: 1 }]);
    await jest.advanceTimersByTimeAsync(10 + FEW);
    expect([one.batches, left(one)]).toEqual([[['a'], ['a']], { visible: 0, inFlight: 0 }]);
    one.stop();
  });

  test('lets the function set the time of the retry with ChangeMessageVisibility', async () => {
    const one = set((_, records) => {
      for (const { receiptHandle } of records) one.queues.changeVisibility('q', receiptHandle, 50_000);
      return done(records);
    });
    one.send('a');
    await settle();
    await jest.advanceTimersByTimeAsync(49_999);
    expect(one.batches).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(FEW);
    expect(one.batches).toHaveLength(2);
    one.stop();
  });

  test('moves a message that fails too often to the dead-letter queue, and its group continues', async () => {
    const one = set(
      (bodies, records) =>
        bodies.includes('poison') ? done(records.filter(({ body }) => body === 'poison')) : done(),
      { batchSize: 1 },
    );
    one.send('poison', 'g');
    one.send('next', 'g');
    await settle();
    await jest.advanceTimersByTimeAsync(3000 + FEW);
    expect(one.batches).toEqual([['poison'], ['poison'], ['poison'], ['next']]);
    expect(one.queues.counts('dead')).toEqual({ visible: 1, inFlight: 0 });
    one.stop();
  });

  test.each<[GroupLock, string[][]]>([
    ['message', [['a1', 'b1'], ['a2']]],
    ['invocation', [['a1', 'b1']]],
  ])('frees a group after an early deletion as the lock option says: %s', async (groupLock, before) => {
    const running: (() => void)[] = [];
    const one = set(() => new Promise((resolve) => running.push(() => resolve(done()))), {}, groupLock);
    one.send('a1', 'a');
    one.send('b1', 'b');
    await settle();
    one.send('a2', 'a');
    const [receipt] = one.receipts;
    if (receipt !== undefined) one.queues.delete('q', receipt);
    await settle();
    expect(one.batches).toEqual(before);
    running[0]?.();
    await settle();
    expect(one.batches).toEqual([['a1', 'b1'], ['a2']]);
    one.stop();
  });

  test.each<[string, InvocationOutcome, number]>([
    ['a thrown error', { kind: 'failed', errorType: 'Error', message: '' }, 2],
    ['nonsense', { kind: 'answer', payload: '{"batchItemFailures":"all"}' }, 2],
    ['an unknown id', { kind: 'answer', payload: '{"batchItemFailures":[{"itemIdentifier":"x"}]}' }, 2],
    ['null', { kind: 'answer', payload: 'null' }, 0],
    ['no failures', { kind: 'answer', payload: '{"batchItemFailures":[]}' }, 0],
    ['an empty object', { kind: 'answer', payload: '{}' }, 0],
  ])('handles the response %s', async (_, outcome, expected) => {
    const one = set(() => outcome);
    one.send('a');
    one.send('b');
    await settle();
    expect(left(one).inFlight).toBe(expected);
    one.stop();
  });

  test('ends at the stop', async () => {
    const one = set(() => done());
    one.stop();
    one.send('a');
    await jest.advanceTimersByTimeAsync(10_000);
    expect(one.batches).toEqual([]);
  });
});
