import { expect, test } from '@jest/globals';
import { messageId, type TurnRef, userId } from '../../../shared/domain/index.ts';
import { type ChatOptions } from '../../../shared/ports/index.ts';
import { streamsOnly } from '../../fakes/streams-only.ts';
import { type WorkerContext, dispatchTask } from '../../../shared/worker/index.ts';
import { reconcile } from '../../../shared/chat/answer/reconcile.ts';

import { type Reply, ThreadDeletedError } from '../../../shared/platforms/ports/index.ts';
import { TestTime } from '../../upstream/time.ts';
import { endEvent, FakeReply, fakePlatform } from '../completion-harness.ts';
import { THREAD, threadHarness } from '../thread-harness.ts';
import { RECONCILE_AFTER_MS } from '../../../shared/chat/access/with-claim.ts';

const TURN: TurnRef = {
  thread: THREAD,
  message: messageId('1.1'),
  asker: userId('U1'),
  askerWorkspace: THREAD.workspace,
};

/** A thread with one question, whose answer the test controls. */
function questionWorld(more: Partial<WorkerContext> = {}) {
  // The worker polls for actions of people when the test says so.
  const time = new TestTime(1_000);
  class WatchedReply extends FakeReply {
    halted = 0;
    override stopStreaming = () => {
      this.halted += 1;
      return Promise.resolve([]);
    };
  }
  const reply = new WatchedReply();
  const replies: Reply[] = [reply];
  const withdrawn: (readonly string[])[] = [];
  const harness = threadHarness(
    [],
    {
      platform: {
        ...fakePlatform(),
        reply: () => replies.at(-1) ?? reply,
        deleteAnswer: async (_, messages) => void withdrawn.push(messages),
        findOrphanedMessages: () => Promise.resolve({ ofTurn: [messageId('5.1')], unattributed: [] }),
      },
      ...more,
    },
    time,
  );
  const ask = async (again = false) => {
    await harness.context.turns.accept(TURN, 'Why?', []);
    const task = { v: 1, kind: 'ask', ...TURN, question: 'Why?', attachments: [], receivedAt: 0 };
    const delivery = { deadline: harness.time.now() + 60_000, isRedelivery: again, isLast: false };
    return await dispatchTask(JSON.stringify(task), harness.context, delivery);
  };
  /** The scheduled reconcile passes (ms). */
  const looks = () =>
    harness.items().flatMap(({ open, due }) => (open?.S === 'reconcile' ? [Number(due?.N) * 1000] : []));
  return { ...harness, ask, looks, reply, replies, withdrawn };
}

const lookAgain = async ({ context, time }: ReturnType<typeof questionWorld>, again: boolean) => {
  const delivery = { deadline: time.now() + 60_000, isRedelivery: again, isLast: false };
  return await reconcile({ v: 1, kind: 'reconcile', ...TURN }, context, delivery);
};

test('a model request ends when its thread is deleted', async () => {
  const requests: ChatOptions[] = [];
  const { ask, replies } = questionWorld({
    chat: {
      ...streamsOnly,
      async *stream(_: unknown, options: ChatOptions) {
        requests.push(options);
        yield { type: 'text', text: 'Half' } as const;
        await new Promise((resolve) => setImmediate(resolve));
        options.signal.throwIfAborted();
        yield endEvent('Half an answer.');
      },
    },
  });
  const posted = Promise.withResolvers<never>();
  class GoneReply extends FakeReply {
    override posted = () => posted.promise;
    override write = () => posted.reject(new ThreadDeletedError('the channel is gone'));
  }
  replies.push(new GoneReply());
  await ask();
  expect(requests.map(({ signal }) => signal.aborted)).toEqual([true]);
});

test('a worker that lost its lease stores nothing, and does not report a failure', async () => {
  const harness = questionWorld({
    chat: {
      ...streamsOnly,
      async *stream() {
        await harness.context.turns.claim(TURN, 60_000, true);
        yield endEvent('Mine.');
      },
    },
  });
  expect(await harness.ask()).toEqual({ kind: 'later', afterMs: 1_000 });
  expect(await harness.outcome('1.1')).toBeUndefined();
});

test('an answer that fails because of an internal error writes nothing more, and releases its lease', async () => {
  const harness = questionWorld({
    chat: {
      ...streamsOnly,
      async *stream() {
        yield { type: 'text', text: 'Half' } as const;
        throw new Error('the table is away');
      },
    },
  });
  await expect(harness.ask()).rejects.toThrow('the table is away');
  expect(harness.reply.halted).toBe(1);
  expect(await harness.context.turns.claim(TURN, 60_000)).toMatchObject({ kind: 'held', fence: 2 });
});

test('an answer that may have been posted twice is reconciled later; another answer is not', async () => {
  const sure = questionWorld();
  await sure.ask();
  expect(sure.looks()).toEqual([]);
  const unsure = questionWorld();
  let isDoubtful = false;
  const reply = new FakeReply();
  unsure.replies.push({
    write: (words) => reply.write(words),
    step: (step) => reply.step(step),
    enableStopButton: reply.enableStopButton,
    stopped: reply.stopped,
    stopStreaming: reply.stopStreaming,
    posted: reply.posted,
    get hasUnconfirmedPosts() {
      return isDoubtful;
    },
    publish: async () => {
      isDoubtful = true;
      return [];
    },
  });
  await unsure.ask();
  expect(unsure.looks()).toEqual([expect.any(Number)]);
  expect(unsure.looks()[0]).toBeGreaterThan(unsure.time.now());
});

test('a reconcile pass shows the stored answer, and schedules another pass only if it was interrupted itself', async () => {
  const harness = questionWorld();
  await harness.ask();
  await harness.context.turns.scheduleReconcile(TURN, harness.time.now());
  await lookAgain(harness, true);
  expect(harness.looks()).toEqual([expect.any(Number)]);
  expect(harness.looks()[0]).toBeGreaterThan(harness.time.now() + RECONCILE_AFTER_MS / 2);
  harness.time.advance(RECONCILE_AFTER_MS + 1_000);
  await lookAgain(harness, false);
  expect(harness.looks()).toEqual([]);
  expect(await harness.context.turns.claim(TURN, 60_000)).toMatchObject({ kind: 'held' });
});

test('a reconcile pass for a deleted question removes the rest of its answer', async () => {
  const harness = questionWorld();
  await harness.ask();
  const claim = await harness.context.turns.claim(TURN, 60_000);
  if (claim.kind !== 'held') throw new Error('not claimed');
  await harness.context.turns.removeContent(TURN, claim.fence, harness.time.now());
  await lookAgain(harness, false);
  expect(harness.withdrawn).toEqual([['5.1']]);
});

test('an answer that could not be published because of a temporary error is published by the next delivery', async () => {
  const harness = questionWorld();
  class BrokenReply extends FakeReply {
    override publish = () => Promise.reject(new Error('the platform is away'));
  }
  harness.replies.push(new BrokenReply());
  await expect(harness.ask()).rejects.toThrow('the platform is away');
  harness.replies.pop();
  expect(await harness.ask(true)).toEqual({ kind: 'done' });
  expect(harness.prompts).toHaveLength(1);
});

test('the publisher of an answer receives the question, which may become the title of a new thread', async () => {
  const harness = questionWorld();
  const requests: unknown[] = [];
  const { platform } = harness.context;
  const reply: typeof platform.reply = (...of) => {
    requests.push(of[2]?.question);
    return platform.reply(...of);
  };
  Object.assign(harness.context, { platform: { ...platform, reply } });
  await harness.ask();
  await lookAgain(harness, false);
  expect(requests).toEqual(['Why?', 'Why?']);
});

test('a stored answer can be regenerated at once, however long the platform took to show it', async () => {
  const harness = questionWorld();
  class SlowReply extends FakeReply {
    override publish = async () => {
      for (let second = 0; second < 50; second += 1) {
        harness.time.advance(1_000);
        await new Promise((resolve) => setImmediate(resolve));
      }
      return [];
    };
  }
  harness.replies.push(new SlowReply());
  expect(await harness.ask()).toEqual({ kind: 'done' });
  expect(await harness.context.turns.claim(TURN, 60_000)).toMatchObject({ kind: 'held', fence: 2 });
});
