import { type RequestPermits } from '../../shared/ports/index.ts';
import { streamsOnly } from '../fakes/streams-only.ts';
import { intakeWithin } from '../../shared/intake/within-worker.ts';
import { expect, test } from '@jest/globals';
import {
  type ChatEvent,
  messageId,
  userId,
  workspaceId,
  type QueueDelivery,
} from '../../shared/domain/index.ts';
import { dispatchTask } from '../../shared/worker/index.ts';
import { handleEvent } from '../../shared/intake/index.ts';
import { acceptButton } from '../../shared/intake/accept-interaction-question.ts';
import { FrontStore } from '../../shared/storage/interactions/front-store.ts';
import { decompressTurn } from '../../shared/storage/dynamodb/turn-compression.ts';
import { UNLIMITED_PERMITS } from '../fakes/permits.ts';
import { TestTime } from '../upstream/time.ts';
import { commandHarness } from '../commands/command-harness.ts';
import { endEvent } from './completion-harness.ts';
import { THREAD } from './thread-harness.ts';

const QUESTION = { thread: THREAD, message: messageId('1.1') };
const BY = userId('U1');
const LONG = 'why? '.repeat(300);
const messageWith = (text: string) => ({
  thread: THREAD,
  id: QUESTION.message,
  author: BY,
  authorWorkspace: workspaceId('T1'),
  text,
  attachments: [],
  addressed: 'mention' as const,
});
const press = (kind: 'stop' | 'regenerate', at: string) =>
  ({ kind: 'button-clicked', ...QUESTION, by: BY, at, action: { kind } }) as const;
const STOP: ChatEvent = press('stop', '8.1');
const NATIVE_STOP: ChatEvent = { kind: 'thread-stop-clicked', thread: THREAD, by: BY };
const EDIT: ChatEvent = { kind: 'message-edited', message: messageWith('two'), at: '9.1' };
const DELETION: ChatEvent = { kind: 'message-deleted', ...QUESTION };

/** A model with a wait of `busy`, and the state of the task queue. */
function system(words = 'one') {
  const time = new TestTime(1_000);
  const state = { busy: true, waiting: new Set<string>(), asks: 0 };
  const stands = {
    kind: 'waiting',
    place: {
      key: 'k',
      position: {
        key: '',
        rule: { intervalUs: 1, toleranceUs: 1 },
        waiter: { id: '', person: '', tag: 0, requestedAtMs: 0, sinceMs: 0, weight: 1 },
        isKept: true,
      },
    },
    waitMs: 60_000,
    ahead: 9,
  } as const;
  const permits: RequestPermits = {
    ...UNLIMITED_PERMITS,
    takeFree: () => Promise.resolve(state.busy ? undefined : { key: 'k' }),
    take: ({ id = '' }) => {
      if (!state.busy) return Promise.resolve({ kind: 'granted', permit: { key: 'k' } });
      state.waiting.add(id);
      return Promise.resolve(stands);
    },
    poll: () => Promise.resolve(stands),
    find: ({ id }) => Promise.resolve(state.waiting.has(id) ? stands : undefined),
    leaveById: ({ id }) => Promise.resolve(void state.waiting.delete(id)),
    leave: () => Promise.resolve(state.waiting.clear()),
  };
  async function* stream() {
    state.asks += 1;
    yield endEvent(`Answer ${state.asks}.`);
  }
  const chat = {
    ...streamsOnly,
    async *stream(_: unknown, options: { beforeAttempt: () => Promise<void> }) {
      await options.beforeAttempt();
      yield* stream();
    },
  };
  const texts: string[] = [];
  const at = commandHarness(
    { chat, permits, showMessage: (receipt) => Promise.resolve(void texts.push(receipt)) },
    time,
  );
  const context = intakeWithin(at.context);
  const receipts = { count: 0 };
  /** Delivers a task until it is done or waits in the queue. */
  const deliver = async (body: string, more: Partial<QueueDelivery> = {}) => {
    const receipt = `receipt ${(receipts.count += 1)}`;
    const working = dispatchTask(body, at.context, {
      deadline: time.now() + 600_000,
      isRedelivery: false,
      isLast: false,
      receipt,
      ...more,
    });
    for (let n = 0; n < 20; n += 1) {
      time.advance(500);
      await new Promise<void>((on) => void setImmediate(on));
    }
    return { receipt, verdict: await working };
  };
  const next = () => at.queue.sent.shift()?.body ?? '';
  const storedTurns = () =>
    at.dynamo
      .items('conversations')
      .filter(({ id }) => id?.S === '1.1')
      .flatMap(({ body }) => (body?.B ? [decompressTurn(body.B)] : []));
  return {
    at,
    context,
    state,
    texts,
    deliver,
    next,
    storedTurns,
    ask: () => handleEvent({ kind: 'message', message: messageWith(words) }, context),
  };
}

/** A question that waits. */
async function waiting(words?: string) {
  const it = system(words);
  await it.ask();
  const task = it.next();
  const { receipt, verdict } = await it.deliver(task);
  expect(verdict).toMatchObject({ kind: 'later', queueWaitMs: 60_000 });
  expect(it.state.waiting.size).toBe(1);
  return { ...it, task, receipt };
}

test.each([
  ['a button', STOP, 'one'],
  ['the platform', NATIVE_STOP, 'one'],
  ['the platform, and the question is a long one', NATIVE_STOP, LONG],
] as const)(
  'Stop by %s shows the hidden message, and ends the question without a turn',
  async (_, stop, words) => {
    const it = await waiting(words);
    await handleEvent(stop, it.context);
    expect(it.texts).toEqual([it.receipt]);
    expect((await it.deliver(it.task, { isRedelivery: true })).verdict).toEqual({ kind: 'done' });
    expect(it.storedTurns()).toMatchObject([{ question: words, outcome: { finish: 'stopped' } }]);
    expect([it.state.asks, it.state.waiting.size]).toEqual([0, 0]);
    // A redelivery finds no waiting question.
    await handleEvent(stop, it.context);
    expect(it.texts).toHaveLength(1);
  },
);

test('Stop by the Discord front, which reads no table, shows the hidden message too', async () => {
  const it = await waiting();
  // DynamoDB's response to the write of the signal.
  const send = () => Promise.resolve({ Attributes: { receipt: { S: it.receipt } } });
  const store = new FrontStore({ send, table: 'conversations', days: 30, now: it.context.now });
  const token = { id: messageId('5'), token: 't', expiresAtMs: 9e15 };
  await acceptButton(press('stop', '8.1'), token, false, { ...it.context, store });
  expect(it.texts).toEqual([it.receipt]);
});

test('an edit removes the hidden message, and the new text keeps the position in the queue', async () => {
  const it = await waiting();
  await handleEvent(EDIT, it.context);
  expect(it.texts).toEqual([it.receipt]);
  expect((await it.deliver(it.task, { isRedelivery: true })).verdict).toEqual({ kind: 'done' });
  expect(it.state.waiting.size).toBe(1);
  const edit = it.next();
  const { receipt, verdict } = await it.deliver(edit);
  expect(verdict).toMatchObject({ queueWaitMs: 60_000 });
  expect(it.state.waiting.size).toBe(1);
  // It can be stopped too.
  await handleEvent(STOP, it.context);
  expect(it.texts).toEqual([it.receipt, receipt]);
  await it.deliver(edit, { isRedelivery: true });
  expect(it.storedTurns()).toMatchObject([{ question: 'two', outcome: { finish: 'stopped' } }]);
  expect(it.state.waiting.size).toBe(0);
});

test('a deletion removes the question and its position', async () => {
  const it = await waiting();
  await handleEvent(DELETION, it.context);
  expect(it.texts).toEqual([it.receipt]);
  expect((await it.deliver(it.task, { isRedelivery: true })).verdict).toEqual({ kind: 'done' });
  expect((await it.deliver(it.next())).verdict).toEqual({ kind: 'done' });
  expect(it.state.waiting.size).toBe(0);
  expect(it.storedTurns()).toEqual([]);
});

test('Stop of a waiting regeneration keeps the earlier answer', async () => {
  const it = system();
  it.state.busy = false;
  await it.ask();
  await it.deliver(it.next());
  it.state.busy = true;
  await handleEvent(press('regenerate', '8.2'), it.context);
  const task = it.next();
  const { receipt } = await it.deliver(task);
  await handleEvent(STOP, it.context);
  expect(it.texts).toEqual([receipt]);
  expect((await it.deliver(task, { isRedelivery: true })).verdict).toEqual({ kind: 'done' });
  expect(it.storedTurns()).toMatchObject([{ outcome: { text: 'Answer 1.' } }]);
  expect([it.state.asks, it.state.waiting.size]).toEqual([1, 0]);
});

test('Stop at the moment when the worker postpones the question redelivers it at once', async () => {
  const it = system();
  await it.ask();
  const { turns } = it.at.context;
  const handBack = turns.handBack.bind(turns);
  turns.handBack = async (...how) => {
    await handleEvent(STOP, it.context);
    return handBack(...how);
  };
  expect((await it.deliver(it.next())).verdict).toMatchObject({ kind: 'later', afterMs: 0 });
  expect(it.texts).toEqual([]);
});

test('Stop after a question has returned to the queue again shows the message of that delivery, not of the first one', async () => {
  const it = await waiting();
  const { receipt, verdict } = await it.deliver(it.task, { isRedelivery: true });
  expect(verdict).toMatchObject({ kind: 'later', queueWaitMs: 60_000 });
  await handleEvent(STOP, it.context);
  expect(it.texts).toEqual([receipt]);
  expect((await it.deliver(it.task, { isRedelivery: true })).verdict).toEqual({ kind: 'done' });
  expect(it.storedTurns()).toMatchObject([{ outcome: { finish: 'stopped' } }]);
});

test('Stop while a waiting question is looked at ends it with that delivery', async () => {
  const it = await waiting();
  Object.assign(it.at.context.platform, { showStatus: () => handleEvent(STOP, it.context) });
  expect((await it.deliver(it.task, { isRedelivery: true })).verdict).toEqual({ kind: 'done' });
  expect(it.storedTurns()).toMatchObject([{ outcome: { finish: 'stopped' } }]);
});
