import { expect, test } from '@jest/globals';
import { type Attachment, messageId, type TurnRef, userId } from '../../../shared/domain/index.ts';
import { type WorkerContext, dispatchTask } from '../../../shared/worker/index.ts';
import { UNLIMITED_PERMITS } from '../../fakes/permits.ts';
import { THREAD, threadWorld } from '../thread-world.ts';

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
const deliver = (id: string, question: string, context: WorkerContext, again = false) =>
  dispatchTask(JSON.stringify(task(id, question)), context, {
    deadline: context.time.now() + 60_000,
    isRedelivery: again,
    isLast: false,
  });

test('an answered question is shown again when it is redelivered, and causes no second model request', async () => {
  const finished: string[] = [];
  const world = threadWorld();
  const { platform } = world.context;
  const reply: typeof platform.reply = (...given) => {
    const made = platform.reply(...given);
    return { ...made, publish: async (text) => (finished.push(text), []), stopped: made.stopped };
  };
  const context = { ...world.context, platform: { ...platform, reply } };
  await world.say('1.1', 'U1', 'Why?');
  await world.queued();
  expect(world.prompts).toHaveLength(1);
  for (const again of [false, true]) {
    expect(await deliver('1.1', 'Why?', context, again)).toEqual({ kind: 'done' });
  }
  expect(world.prompts).toHaveLength(1);
  expect(finished).toEqual(['Answer 1.', 'Answer 1.']);
});

test('the permit that was requested in parallel with the lease is returned when no model request is sent', async () => {
  const permits = { taken: 0, released: 0 };
  const world = threadWorld([], {
    permits: {
      ...UNLIMITED_PERMITS,
      takeFree: (...given) => {
        permits.taken += 1;
        return UNLIMITED_PERMITS.takeFree(...given);
      },
      release: async () => void (permits.released += 1),
    },
  });
  await world.say('1.1', 'U1', 'Why?');
  await world.queued();
  const answered = { ...permits };
  await deliver('1.1', 'Why?', world.context);
  expect(permits).toEqual({ taken: answered.taken + 1, released: answered.released + 1 });
});

test('a question that is recorded as answered in another turn is not sent to the model, even if that turn is gone', async () => {
  const world = threadWorld();
  await world.say('1.1', 'U1', 'Why?');
  await world.queued();
  await world.context.turns.accept(refOf('1.2'), 'And how?', []);
  await world.context.signals.markMerged(refOf('1.2'), messageId('1.1'));
  expect(await deliver('1.2', 'And how?', world.context)).toEqual({ kind: 'done' });
  expect(world.prompts).toHaveLength(1);
});

test('questions with files, and the questions after them, are answered one by one', async () => {
  const world = threadWorld();
  for (const [id, files] of [
    ['1.1', []],
    ['1.2', []],
    ['1.3', [FILE]],
    ['1.4', []],
  ] as const) {
    await world.context.turns.accept(refOf(id), `Question ${id}`, files);
  }
  await deliver('1.1', 'Question 1.1', world.context, true);
  expect((await world.stored('1.1'))?.folded.map(({ message }) => message)).toEqual(['1.2']);
});
