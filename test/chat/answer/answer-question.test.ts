import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { type Attachment, messageId, type TurnRef, userId } from '../../../shared/domain/index.ts';
import { deleteUnfinishedAnswer } from '../../../shared/chat/answer/delete-answer.ts';
import { completeInput } from '../../../shared/chat/prompt/prepare-question.ts';
import { type WorkerContext, dispatchTask } from '../../../shared/worker/index.ts';
import { UNLIMITED_PERMITS } from '../../fakes/permits.ts';
import { THREAD, threadHarness } from '../thread-harness.ts';

const refOf = (id: string, by = 'U1'): TurnRef => ({
  thread: THREAD,
  message: messageId(id),
  asker: userId(by),
  askerWorkspace: THREAD.workspace,
});

const FILE: Attachment = { id: 'F1', name: 'a.txt', mimetype: 'text/plain', bytes: 3 };

const task = (id: string, question: string, by = 'U1') => ({
  v: 1,
  kind: 'ask',
  ...refOf(id, by),
  question,
  attachments: [],
  receivedAt: 0,
});

/** Delivers the task of a question. */
const deliver = (id: string, question: string, context: WorkerContext, again = false, isLast = false) =>
  dispatchTask(JSON.stringify(task(id, question)), context, {
    deadline: context.time.now() + 60_000,
    isRedelivery: again,
    isLast,
  });

test('an answered question is shown again when it is redelivered, and causes no second model request', async () => {
  const finished: string[] = [];
  const harness = threadHarness();
  const { platform } = harness.context;
  const reply: typeof platform.reply = (...args) => {
    const inner = platform.reply(...args);
    return { ...inner, publish: async (text) => (finished.push(text), []), stopped: inner.stopped };
  };
  const context = { ...harness.context, platform: { ...platform, reply } };
  await harness.say('1.1', 'U1', 'Why?');
  await harness.queued();
  expect(harness.prompts).toHaveLength(1);
  for (const again of [false, true]) {
    expect(await deliver('1.1', 'Why?', context, again)).toEqual({ kind: 'done' });
  }
  expect(harness.prompts).toHaveLength(1);
  expect(finished).toEqual(['Answer 1.', 'Answer 1.']);
});

test('a task without a stored question is dropped, and the log says so', async () => {
  const harness = threadHarness();
  const lines: (readonly unknown[])[] = [];
  const context = { ...harness.context, log: (...line: readonly unknown[]) => void lines.push(line) };
  expect(await deliver('1.1', 'Why?', context)).toEqual({ kind: 'done' });
  const place = { platform: 'slack', workspace: 'T1', channel: 'C1', root: '1.1', message: '1.1' };
  expect(lines).toEqual([['question.missing', place]]);
  expect(harness.prompts).toEqual([]);
});

test('the half answer of a worker that died is deleted when its question was erased meanwhile', async () => {
  const harness = threadHarness();
  const deleted: (readonly string[])[] = [];
  const statuses: unknown[] = [];
  Object.assign(harness.context.platform, {
    findOrphanedMessages: async () => ({ ofTurn: [messageId('1.2')], unattributed: [] }),
    deleteAnswer: async (_: unknown, messages: readonly string[]) => void deleted.push(messages),
    showStatus: async (_: unknown, status: unknown) => void statuses.push(status),
  });
  expect(await deliver('1.1', 'Why?', harness.context)).toEqual({ kind: 'done' });
  expect(deleted).toEqual([]);
  expect(await deliver('1.1', 'Why?', harness.context, true)).toEqual({ kind: 'done' });
  expect(deleted).toEqual([['1.2']]);
  expect(statuses).toEqual(['']);
});

test.each([
  ['fails', () => Promise.reject(new Error('service_unavailable'))],
  ['may not be searched now', () => Promise.resolve({ ofTurn: [], unattributed: [], isIncomplete: true })],
])(
  'the half answer of a question that was erased is looked for again if the platform %s, and its status ends',
  async (_, findOrphanedMessages) => {
    const harness = threadHarness();
    const statuses: unknown[] = [];
    Object.assign(harness.context.platform, {
      findOrphanedMessages,
      showStatus: async (_turn: unknown, status: unknown) => void statuses.push(status),
    });
    await expect(deliver('1.1', 'Why?', harness.context, true)).rejects.toThrow(/service|platform/u);
    expect(statuses).toEqual(['']);
    expect(await deliver('1.1', 'Why?', harness.context, true, true)).toEqual({ kind: 'done' });
  },
);

test('the log names such a question as the turn: `message` is always a message of the bot', async () => {
  const { context } = threadHarness();
  const turn = { thread: THREAD, message: messageId('1.1'), asker: userId('U1') };
  const platform = {
    ...context.platform,
    findOrphanedMessages: () => Promise.reject(new Error('account_inactive')),
  };
  const lines: unknown[] = [];
  const log = (...line: unknown[]) => void lines.push(line);
  await deleteUnfinishedAnswer(
    { ...turn, askerWorkspace: THREAD.workspace },
    { ...context, platform, log },
    true,
  );
  expect(lines).toEqual([['answer.message-delete-failed', { ...THREAD, turn: '1.1', error: 'Error' }]]);
});

test('people whom questions mention by id have their names in the prompt and in what is stored, also after an edit', async () => {
  const harness = threadHarness();
  const { platform } = harness.context;
  Object.assign(platform, {
    nameMentions: async (_: unknown, texts: readonly string[]) =>
      texts.map((text) => text.replaceAll('@U2', '@Grace')),
  });
  await harness.say('1.1', 'U1', 'Thank @U2');
  await harness.queued();
  await harness.edit('1.1', 'U1', 'Greet @U2');
  await harness.queued();
  expect(harness.prompts.map((prompt) => JSON.stringify(prompt))).toEqual([
    expect.stringContaining('Thank @Grace'),
    expect.stringContaining('Greet @Grace'),
  ]);
  const { turns } = await harness.context.turns.history(refOf('1.3'));
  expect(turns).toMatchObject([{ question: 'Greet @Grace' }]);
  const past = await harness.context.turns.history(refOf('1.3'));
  const merged = {
    question: '',
    mergedQuestions: [{ message: messageId('1.2'), question: '@U2?' }],
    attachments: [],
    pictures: [],
    past,
  };
  expect(await completeInput(refOf('1.1'), merged, async () => ({}), harness.context)).toEqual({
    ...merged,
    mergedQuestions: [{ message: '1.2', question: '@Grace?' }],
  });
});

test('people are named while the earlier messages are read', async () => {
  const harness = threadHarness();
  const events: string[] = [];
  const read = new AbortController();
  Object.assign(harness.context.platform, {
    nameMentions: async (_: unknown, texts: readonly string[]) => {
      events.push('names');
      if (!read.signal.aborted) await once(read.signal, 'abort');
      return texts;
    },
    fetchEarlierMessages: async () => {
      events.push('earlier messages');
      read.abort();
      return { messages: [] };
    },
  });
  await harness.say('1.1', 'U1', 'Thank @U2');
  await harness.queued();
  expect(events).toEqual(['names', 'earlier messages']);
  expect(harness.prompts).toHaveLength(1);
});

test.each(['nameMentions', 'fetchEarlierMessages'] as const)(
  'the asker sees a status while the platform takes its time with %s, and also after an edit',
  async (slow) => {
    const harness = threadHarness();
    const status = { isShown: false };
    const shownMeanwhile: boolean[] = [];
    const results = {
      nameMentions: (_: unknown, texts: readonly string[]) => texts,
      fetchEarlierMessages: () => ({ messages: [], retryAfterMs: 1_000 }),
    };
    Object.assign(harness.context.platform, {
      showStatus: async (_: TurnRef, words: string) => void (status.isShown ||= words !== ''),
      [slow]: async (turn: unknown, texts: readonly string[]) => {
        for (let n = 0; n < 10_000 && !status.isShown; n += 1) await Promise.resolve();
        shownMeanwhile.push(status.isShown);
        status.isShown = false;
        return results[slow](turn, texts);
      },
    });
    await harness.say('1.1', 'U1', 'Thank @U2');
    await harness.queued();
    await harness.edit('1.1', 'U1', 'Greet @U2');
    await harness.queued();
    expect(shownMeanwhile).toEqual([true, true]);
  },
);

test('the permit that was requested in parallel with the lease is returned when no model request is sent', async () => {
  const permits = { permits: 0, released: 0 };
  const harness = threadHarness([], {
    permits: {
      ...UNLIMITED_PERMITS,
      takeFree: (...args) => {
        permits.permits += 1;
        return UNLIMITED_PERMITS.takeFree(...args);
      },
      release: async () => void (permits.released += 1),
    },
  });
  await harness.say('1.1', 'U1', 'Why?');
  await harness.queued();
  const answered = { ...permits };
  await deliver('1.1', 'Why?', harness.context);
  expect(permits).toEqual({ permits: answered.permits + 1, released: answered.released + 1 });
});

test('a question that is recorded as answered in another turn is not sent to the model, even if that turn is gone', async () => {
  const harness = threadHarness();
  await harness.say('1.1', 'U1', 'Why?');
  await harness.queued();
  await harness.context.turns.accept(refOf('1.2'), 'And how?', []);
  await harness.context.signals.markMerged(refOf('1.2'), messageId('1.1'));
  expect(await deliver('1.2', 'And how?', harness.context)).toEqual({ kind: 'done' });
  expect(harness.prompts).toHaveLength(1);
});

test('questions with files, and the questions after them, are answered one by one', async () => {
  const harness = threadHarness();
  for (const [id, files] of [
    ['1.1', []],
    ['1.2', []],
    ['1.3', [FILE]],
    ['1.4', []],
  ] as const) {
    await harness.context.turns.accept(refOf(id), `Question ${id}`, files);
  }
  await deliver('1.1', 'Question 1.1', harness.context, true);
  expect((await harness.stored('1.1'))?.mergedQuestions.map(({ message }) => message)).toEqual(['1.2']);
});
