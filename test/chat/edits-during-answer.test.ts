import { intakeWithin } from '../../shared/intake/within-worker.ts';
import { expect, test } from '@jest/globals';
import {
  type ChatEvent,
  messageId,
  type PromptMessage,
  userId,
  workspaceId,
} from '../../shared/domain/index.ts';
import { type ChatOptions } from '../../shared/ports/index.ts';
import { streamsOnly } from '../fakes/streams-only.ts';
import { handleEvent } from '../../shared/intake/index.ts';
import { dispatchTask } from '../../shared/worker/index.ts';
import { decompressTurn } from '../../shared/storage/dynamodb/turn-compression.ts';
import { TestTime } from '../upstream/time.ts';
import { commandHarness } from '../commands/command-harness.ts';
import { endEvent, fakePlatform } from './completion-harness.ts';
import { THREAD } from './thread-harness.ts';

const QUESTION = { thread: THREAD, message: messageId('1.1') };
const BY = userId('U1');

const messageOf = (text: string, id = '1.1', author = BY) => ({
  thread: THREAD,
  id: messageId(id),
  author,
  authorWorkspace: workspaceId('T1'),
  text,
  attachments: [],
  addressed: 'mention' as const,
});
const questionEvent = (text: string): ChatEvent => ({ kind: 'message', message: messageOf(text) });
const edited = (text: string, at: string): ChatEvent => ({
  kind: 'message-edited',
  message: messageOf(text),
  at,
});
const regenerate: ChatEvent = {
  kind: 'button-clicked',
  ...QUESTION,
  by: BY,
  at: '8.1',
  action: { kind: 'regenerate' },
};
const deleted: ChatEvent = { kind: 'message-deleted', ...QUESTION };

/** How often a worker can poll before the model has responded. */
const LOOKS = 5;

/**
 * Runs the chat events in order; `during` are those that arrive during the nth, slow request. Resolves with the
 * stored answer, the prompts, the number of aborted requests, and the reconcile time.
 */
async function play(chatEvents: readonly ChatEvent[], during: readonly (readonly ChatEvent[])[]) {
  const asks: string[] = [];
  const time = new TestTime(1_000);
  let left = 0;
  async function* stream(prompt: readonly PromptMessage[], { signal }: ChatOptions) {
    const content = prompt.at(-1)?.content;
    const nth = asks.push(typeof content === 'string' ? content : '') - 1;
    yield { type: 'text' as const, text: `To ${asks[nth]}` };
    for (const one of during[nth] ?? []) await handleEvent(one, context);
    for (let n = 0; n < LOOKS && !signal.aborted; n += 1) {
      time.advance(1_000);
      await new Promise<void>((on) => void setImmediate(on));
    }
    if (signal.aborted) left += 1;
    signal.throwIfAborted();
    yield endEvent(`To ${asks[nth]}`);
  }
  const at = commandHarness({ chat: { ...streamsOnly, stream } }, time);
  const context = intakeWithin(at.context);
  const ids = new Set<string>();
  for (const one of chatEvents) {
    await handleEvent(one, context);
    for (let sent = at.queue.sent.shift(); sent; sent = at.queue.sent.shift()) {
      // The queue deduplicates.
      if (ids.has(sent.dedup)) continue;
      ids.add(sent.dedup);
      await dispatchTask(sent.body, at.context, {
        deadline: at.time.now() + 600_000,
        isRedelivery: false,
        isLast: false,
      });
    }
  }
  const turnsOf = (message: string) => at.dynamo.items('conversations').filter(({ id }) => id?.S === message);
  const storedOf = (message: string) =>
    turnsOf(message).flatMap(({ body }) => (body?.B ? [decompressTurn(body.B)] : []));
  const [turns, storedTurns] = [turnsOf('1.1'), storedOf('1.1')];
  const dueMs = 1_000 * Number(turns[0]?.['due']?.N ?? NaN);
  return {
    result: { asks, left, turns: storedTurns.map(({ question, outcome }) => [question, outcome.text]) },
    lookInMs: dueMs - at.time.now(),
    /** The question of the turn, and the questions that were merged into it. */
    questionsOf: (message: string) =>
      storedOf(message).flatMap(({ question, mergedQuestions = [] }) => [
        question,
        ...mergedQuestions.map((one) => one.question),
      ]),
  };
}

const results = async (...args: Parameters<typeof play>) => (await play(...args)).result;

test('a question that is edited during its answer is answered again, however long the answer takes', async () => {
  expect(await results([questionEvent('one')], [[edited('two', '9.1')]])).toEqual({
    asks: ['one', 'two'],
    left: 1,
    turns: [['two', 'To two']],
  });
});

test('only the last of several edits during the answer counts, and a delayed older edit is ignored', async () => {
  const during = [[edited('two', '9.1')], [edited('three', '9.3')], [edited('late', '9.2')]];
  expect(await results([questionEvent('one')], during)).toEqual({
    asks: ['one', 'two', 'three'],
    left: 2,
    turns: [['three', 'To three']],
  });
});

test('an edit or a deletion also ends an answer that a button regenerates', async () => {
  expect(await results([questionEvent('one'), regenerate], [[], [edited('two', '9.1')]])).toEqual({
    asks: ['one', 'one', 'two'],
    left: 1,
    turns: [['two', 'To two']],
  });
  expect(await results([questionEvent('one'), regenerate], [[], [deleted]])).toEqual({
    asks: ['one', 'one'],
    left: 1,
    turns: [],
  });
});

test('a redelivered edit does not end an answer that a button regenerates', async () => {
  const edit = edited('two', '9.1');
  expect(await results([questionEvent('one'), edit, regenerate], [[], [], [edit]])).toEqual({
    asks: ['one', 'two', 'two'],
    left: 0,
    turns: [['two', 'To two']],
  });
});

test('an answer that a redelivered edit ended is reconciled two minutes later', async () => {
  const edit = edited('two', '9.1');
  const again = { ...regenerate, at: '8.3' };
  const { result, lookInMs } = await play(
    [questionEvent('one'), edit, regenerate, again],
    [[], [], [], [edit]],
  );
  expect(result).toMatchObject({ left: 1, turns: [['two', 'To two']] });
  expect(lookInMs).toBeGreaterThan(119_000);
});

test.each([
  ['the button', { kind: 'button-clicked', ...QUESTION, by: BY, at: '8.2', action: { kind: 'stop' } }],
  ['the platform', { kind: 'thread-stop-clicked', thread: THREAD, by: BY }],
] as const)('Stop by %s ends a regenerated answer once', async (_, stop) => {
  const again = { ...regenerate, at: '8.3' };
  const { left, asks, turns } = await results([questionEvent('one'), regenerate, again], [[], [stop]]);
  expect([left, asks.length]).toEqual([1, 3]);
  expect(turns).toEqual([['one', 'To one']]);
});

test('an edited question of a merged turn still reaches the model with the name of its author', async () => {
  const other = userId('U2');
  const more: ChatEvent[] = [
    { kind: 'message', message: messageOf('two', '1.2') },
    { kind: 'message', message: messageOf('three', '1.3', other) },
  ];
  const edit: ChatEvent = { kind: 'message-edited', message: messageOf('four', '1.3', other), at: '9.1' };
  const { asks } = await results([questionEvent('one'), edit], [more]);
  expect(asks).toEqual([
    'one',
    'two\n\n(another person, <@U2>:) three',
    'two\n\n(another person, <@U2>:) four',
  ]);
});

test.each<[string, ChatEvent, readonly string[]]>([
  ['edited', { kind: 'message-edited', message: messageOf('five', '1.2'), at: '9.2' }, ['five', 'four']],
  ['deleted', { kind: 'message-deleted', thread: THREAD, message: messageId('1.2') }, ['', 'four']],
])(
  'an edit of a merged question is applied, although the first question is %s during the new answer',
  async (_, change, questions) => {
    const more: ChatEvent[] = [
      { kind: 'message', message: messageOf('two', '1.2') },
      { kind: 'message', message: messageOf('three', '1.3') },
    ];
    const edit: ChatEvent = { kind: 'message-edited', message: messageOf('four', '1.3'), at: '9.1' };
    const { questionsOf } = await play([questionEvent('one'), edit], [more, [], [change]]);
    expect(questionsOf('1.2')).toEqual(questions);
  },
);

test('a deleted question leaves no signal of the worker that died or postponed it', async () => {
  const statuses: string[] = [];
  const at = commandHarness({ platform: fakePlatform({}, statuses) });
  const context = intakeWithin(at.context);
  await handleEvent(questionEvent('one'), context);
  const turn = { ...QUESTION, asker: BY, askerWorkspace: workspaceId('T1') };
  await at.context.turns.claim(turn, 1_000);
  await at.context.platform.showStatus(turn, 'is thinking…');
  at.time.advance(2_000);
  await handleEvent(deleted, context);
  for (const { body } of at.queue.sent)
    await dispatchTask(body, at.context, {
      deadline: at.time.now() + 60_000,
      isRedelivery: false,
      isLast: false,
    });
  expect(statuses).toEqual(['is thinking…', '']);
});
