import { expect, test } from '@jest/globals';
import { userId } from '../../shared/domain/index.ts';
import { handleDeadLetter } from '../../shared/worker/index.ts';
import { NO_RECORDINGS } from '../fakes/recordings.ts';
import { openThread } from './quota-thread.ts';
import { fakePlatform } from './completion-harness.ts';
import { REGENERATE_CLICK, threadHarness } from './thread-harness.ts';

const EARLIER = { by: userId('U5'), author: 'Eva', text: 'It broke.', at: 1_000 };

/** U1 asks `1.2`, and `1.3` is merged into the same turn. */
async function mergedThread() {
  const harness = await openThread();
  await harness.say('1.2', 'U1', 'Why?');
  await harness.say('1.3', 'U1', 'And how?');
  await harness.queued();
  expect(await harness.stored('1.2')).toMatchObject({ mergedQuestions: [{ message: '1.3' }] });
  return harness;
}

test.each([
  ['merged', '1.3', '1.2'],
  ['first', '1.2', '1.3'],
])(
  'an edit of the %s question that arrives after a later edit of another question of the turn is applied',
  async (_, late, other) => {
    const { edit, queued, stored } = await mergedThread();
    await edit(other, 'U1', 'And when?', '9.2');
    await queued();
    await edit(late, 'U1', 'And where?', '9.1');
    await queued();
    const { question, mergedQuestions } = (await stored('1.2')) ?? {};
    expect(new Set([question, mergedQuestions?.[0]?.question])).toEqual(new Set(['And when?', 'And where?']));
  },
);

test.each([
  ['merged', '1.3', '1.2', 'Why?'],
  ['first', '1.2', '1.3', 'And how?'],
])(
  'an edit of the %s question that arrives after its deletion is not applied; the other question of the turn stays',
  async (_, deleted, other, rest) => {
    const { edit, remove, queued, stored, prompts } = await mergedThread();
    await remove(deleted);
    await queued();
    const requests = prompts.length;
    await edit(deleted, 'U1', 'And where?', '9.1');
    await queued();
    const { question, mergedQuestions = [] } = (await stored('1.2')) ?? {};
    const questions = [['1.2', question], ...mergedQuestions.map((one) => [one.message, one.question])];
    expect(questions.filter(([, text]) => text !== '')).toEqual([[other, rest]]);
    expect(prompts).toHaveLength(requests);
  },
);

test('an edit that arrives after a later edit of the same question is not applied, even after a regeneration', async () => {
  const { edit, take, queued, stored, prompts, time } = await mergedThread();
  await edit('1.2', 'U1', 'And when?', '9.2');
  await queued();
  time.advance(2_000);
  await take(REGENERATE_CLICK);
  await queued();
  const requests = prompts.length;
  await edit('1.2', 'U1', 'And where?', '9.1');
  await queued();
  expect((await stored('1.2'))?.question).toBe('And when?');
  expect(prompts).toHaveLength(requests);
});

test('an edit that arrives after the question was accepted from a later edit is not applied', async () => {
  const { edit, queued, stored, prompts } = await openThread();
  await edit('1.2', 'U1', 'And when?', '9.2');
  await queued();
  const requests = prompts.length;
  await edit('1.2', 'U1', 'And where?', '9.1');
  await queued();
  expect((await stored('1.2'))?.question).toBe('And when?');
  expect(prompts).toHaveLength(requests);
});

test('an edit that arrives before the answer to a later edit is not applied', async () => {
  const { edit, queued, stored, prompts } = await openThread();
  await edit('1.2', 'U1', 'And when?', '9.2');
  const requests = prompts.length;
  await edit('1.2', 'U1', 'And where?', '9.1');
  await queued();
  expect((await stored('1.2'))?.question).toBe('And when?');
  expect(prompts).toHaveLength(requests + 1);
});

test('the original message that arrives after the question was accepted from an edit is not answered, even before that edit', async () => {
  const { edit, say, tasks, queued, stored, prompts } = await openThread();
  const requests = prompts.length;
  await edit('1.2', 'U1', 'And when?', '9.2');
  const accepted = tasks.splice(0);
  await say('1.2', 'U1', 'And where?');
  await queued();
  expect(prompts).toHaveLength(requests);
  tasks.push(...accepted);
  await queued();
  expect((await stored('1.2'))?.question).toBe('And when?');
  expect(prompts).toHaveLength(requests + 1);
});

test('an edit of a message that is recorded during its lookup is applied', async () => {
  const { context, edit, say, queued, stored } = await openThread();
  const { signals } = context;
  const find = signals.find.bind(signals);
  signals.find = async (...args) => {
    signals.find = find;
    const before = await find(...args);
    await say('1.2', 'U1', 'And where?');
    return before;
  };
  await edit('1.2', 'U1', 'And when?', '9.2');
  await queued();
  expect((await stored('1.2'))?.question).toBe('And when?');
});

test('an edit that arrives after the deletion of its message does not answer a question that was recorded in between', async () => {
  const { edit, say, remove, queued, stored, prompts, time } = await openThread([], {
    platform: { ...fakePlatform(), isDeleted: async () => true },
  });
  const requests = prompts.length;
  const id = String(time.now() / 1_000);
  await remove(id);
  time.advance(5_000);
  await say(id, 'U1', 'Why?');
  await edit(id, 'U1', 'And when?', '9.2');
  await queued();
  expect(prompts).toHaveLength(requests);
  expect(await stored(id)).toBeUndefined();
});

test('an edit does not answer a question that was recorded a minute after it was deleted', async () => {
  const { edit, say, remove, queued, stored, prompts, time } = await openThread([], {
    platform: { ...fakePlatform(), isDeleted: async () => true },
  });
  const requests = prompts.length;
  const id = String(time.now() / 1_000);
  // A deletion this late is not remembered for a question that was not recorded.
  time.advance(61_000);
  await remove(id);
  await say(id, 'U1', 'Why?');
  await edit(id, 'U1', 'And when?', '9.2');
  await queued();
  expect(prompts).toHaveLength(requests);
  expect(await stored(id)).toBeUndefined();
});

test('the earlier messages of the thread are read for a question that is edited before its answer', async () => {
  const { edit, say, queued, stored } = threadHarness([], {
    platform: { ...fakePlatform(), fetchEarlierMessages: async () => ({ messages: [EARLIER] }) },
  });
  await say('1.2', 'U1', 'Why?');
  await edit('1.2', 'U1', 'But why?', '9.2');
  await queued();
  expect(await stored('1.2')).toMatchObject({
    question: 'But why?',
    contextLines: [{ author: 'Eva', text: 'It broke.' }],
  });
});

test('a question that was accepted from an edit is answered, although the edit is delivered twice', async () => {
  const { edit, queued, stored, prompts } = await openThread();
  const requests = prompts.length;
  await edit('1.2', 'U1', 'And when?', '9.2');
  await edit('1.2', 'U1', 'And when?', '9.2');
  await queued();
  expect((await stored('1.2'))?.question).toBe('And when?');
  expect(prompts).toHaveLength(requests + 1);
});

test('a failure notice for a question that was accepted from an edit is not replaced by an earlier edit', async () => {
  const { context, edit, tasks, queued, stored, prompts } = await openThread();
  const requests = prompts.length;
  await edit('1.2', 'U1', 'And when?', '9.2');
  for (const { body } of tasks.splice(0))
    await handleDeadLetter(body, { ...context, recordings: NO_RECORDINGS });
  await queued();
  await edit('1.2', 'U1', 'And where?', '9.1');
  await queued();
  expect(await stored('1.2')).toMatchObject({ question: 'And when?', outcome: { reason: 'gave-up' } });
  expect(prompts).toHaveLength(requests);
});
