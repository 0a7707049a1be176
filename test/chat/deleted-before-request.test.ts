import { describe, expect, test } from '@jest/globals';
import { messageId, type PromptMessage, userId, workspaceId } from '../../shared/domain/index.ts';
import type { ChatOptions, RequestPermits } from '../../shared/ports/index.ts';
import { Recordings } from '../../shared/storage/index.ts';
import { dispatchTask } from '../../shared/worker/index.ts';
import { streamsOnly } from '../fakes/streams-only.ts';
import { UNLIMITED_PERMITS } from '../fakes/permits.ts';
import { TestTime } from '../upstream/time.ts';
import { fakeInteraction } from '../commands/command-harness.ts';
import { endEvent } from './completion-harness.ts';
import { REGENERATE_CLICK, THREAD, threadHarness } from './thread-harness.ts';

/** U1 asks `1.2`, and U2 `1.3`, which is merged into the same turn. Their answer is the second. */
async function mergedThread() {
  const harness = threadHarness();
  await harness.say('1.1', 'U1', 'Who is there?');
  await harness.queued();
  await harness.say('1.2', 'U1', 'Why?');
  await harness.say('1.3', 'U2', 'And how?');
  await harness.queued();
  expect(await harness.stored('1.2')).toMatchObject({
    question: 'Why?',
    mergedQuestions: [{ message: '1.3' }],
  });
  return harness;
}

describe('a question that is deleted while a request to answer its turn again waits in the queue', () => {
  test.each([
    ['first', 'an edit of the merged one', '1.2', '1.3'],
    ['merged', 'an edit of the first one', '1.3', '1.2'],
  ])('is not asked again if it is the %s one, and the request is %s', async (_first, _edit, gone, edited) => {
    const { edit, remove, queued, prompts, stored } = await mergedThread();
    await edit(edited, edited === '1.2' ? 'U1' : 'U2', 'And where?');
    await remove(gone);
    await queued();
    expect(prompts).toHaveLength(3);
    expect(prompts[2]).toContain('And where?');
    expect(prompts[2]).not.toMatch(/Why\?|And how\?/u);
    const { question, mergedQuestions = [], outcome } = (await stored('1.2')) ?? {};
    const texts = [question, ...mergedQuestions.map((one) => one.question)].filter((text) => text !== '');
    expect(texts).toEqual([expect.stringContaining('And where?')]);
    expect(outcome).toMatchObject({ kind: 'answered', text: 'Answer 3.' });
  });

  test('is not asked again if the request is Regenerate', async () => {
    const { take, remove, queued, prompts, stored, time } = await mergedThread();
    time.advance(2_000);
    await take(REGENERATE_CLICK);
    await remove('1.3');
    await queued();
    expect(prompts).toHaveLength(3);
    expect(prompts[2]).toContain('Why?');
    expect(prompts[2]).not.toContain('And how?');
    expect(await stored('1.2')).toMatchObject({ mergedQuestions: [], outcome: { text: 'Answer 3.' } });
  });

  test('is not asked again if the request is its own edit: the answer to the other question stays', async () => {
    const { edit, remove, queued, prompts, stored } = await mergedThread();
    await edit('1.3', 'U2', 'And where?');
    await remove('1.3');
    await queued();
    expect(prompts).toHaveLength(2);
    expect(await stored('1.2')).toMatchObject({
      question: 'Why?',
      mergedQuestions: [],
      outcome: { text: 'Answer 2.' },
    });
  });

  test('is not asked again if it is the only one of its turn: its answer is deleted', async () => {
    const { say, edit, remove, queued, prompts, storedTexts } = await mergedThread();
    await say('1.4', 'U1', 'Who was there?');
    await queued();
    await edit('1.4', 'U1', 'Who will be there?');
    await remove('1.4');
    await queued();
    expect(prompts).toHaveLength(3);
    expect(storedTexts()).toEqual(['1.1', '1.2']);
  });
});

/** U1, with the right to forget every question, presses the button of _Forget this_ on a message. */
async function forget(harness: ReturnType<typeof threadHarness>, message: string): Promise<void> {
  const action = { name: 'forget.message', args: ['C1', '1.1', message] };
  const by = { user: userId('U1'), workspace: workspaceId('T1'), roles: [], admin: true, locale: 'en' };
  const interaction = fakeInteraction(
    { kind: 'action', action, chosen: [] },
    { id: `forget-${message}`, by },
  );
  await harness.call(interaction);
}

describe('“Forget this” while a request to answer the turn again waits in the queue', () => {
  test.each([
    ['first', '1.2', 'And how?', 'Why?'],
    ['merged', '1.3', 'Why?', 'And how?'],
  ])('leaves the %s question out of the request', async (_, gone, kept, forgotten) => {
    const harness = await mergedThread();
    harness.time.advance(2_000);
    await harness.take(REGENERATE_CLICK);
    await forget(harness, gone);
    await harness.queued();
    expect(harness.prompts).toHaveLength(3);
    expect(harness.prompts[2]).toContain(kept);
    expect(harness.prompts[2]).not.toContain(forgotten);
    const { question, mergedQuestions = [] } = (await harness.stored('1.2')) ?? {};
    expect(JSON.stringify([question, mergedQuestions])).not.toContain(forgotten);
  });

  test('sends no request if it is the only question of the turn', async () => {
    const harness = await mergedThread();
    harness.time.advance(2_000);
    await harness.take({ ...REGENERATE_CLICK, message: messageId('1.1') });
    await forget(harness, '1.1');
    await harness.queued();
    expect(harness.prompts).toHaveLength(2);
    expect(harness.storedTexts()).toEqual(['1.2']);
  });
});

test('“Forget this” leaves the recordings of the message alone: they can be transcribed as before', async () => {
  const harness = await mergedThread();
  await forget(harness, '1.2');
  const { dynamo, time, context } = harness;
  const recordings = new Recordings({ dynamo, table: 'conversations', days: 30, now: time.now });
  const message = messageId('1.2');
  expect(await recordings.isDeleted({ thread: THREAD, message })).toBe(false);
  const signal = await recordings.readSignal({ thread: THREAD, message, file: 'F1' });
  expect(signal.isDeleted).toBe(false);
  expect(await context.turns.findDeleted(THREAD, [message, messageId('1.3')])).toEqual(new Set([message]));
});

describe('a question that is removed after a later one was asked, and before that is answered', () => {
  const REMOVALS = {
    deleted: (harness: ReturnType<typeof threadHarness>, id: string) => harness.remove(id),
    forgotten: forget,
  };
  const cases = (['deleted', 'forgotten'] as const).flatMap((how) => [
    { how, gone: '1.2', kept: /And how\?/u, removed: /Why\?/u },
    { how, gone: '1.3', kept: /Why\?/u, removed: /And how\?/u },
  ]);

  test.each(cases)('is not in its prompt if it is $gone, merged with another, and $how', async (one) => {
    const harness = await mergedThread();
    await harness.say('1.4', 'U1', 'Who was there?');
    await REMOVALS[one.how](harness, one.gone);
    await harness.queued();
    const prompt = JSON.stringify(harness.full[2]);
    expect(prompt).toContain('Who was there?');
    expect(prompt).toContain('Answer 2.');
    expect(prompt).toMatch(one.kept);
    expect(prompt).not.toMatch(one.removed);
    // Its own task removes it.
    expect(JSON.stringify(await harness.stored('1.2'))).not.toMatch(one.removed);
  });

  test.each(cases)('is not found by a search if it is $gone, merged with another, and $how', async (one) => {
    const harness = await mergedThread();
    await REMOVALS[one.how](harness, one.gone);
    const turn = { thread: THREAD, message: messageId('1.4'), asker: userId('U1') };
    const search = (words: string) =>
      harness.context.turns.search({ ...turn, askerWorkspace: workspaceId('T1') }, words, 5);
    // While its own task waits, and afterwards.
    for (const wait of [() => Promise.resolve(), harness.queued]) {
      await wait();
      const [found, ...more] = await search('answer 2');
      expect(more).toEqual([]);
      expect(found?.outcome.text).toBe('Answer 2.');
      expect(JSON.stringify(found)).toMatch(one.kept);
      expect(JSON.stringify(found)).not.toMatch(one.removed);
      expect(await search(one.gone === '1.2' ? 'why' : 'and how')).toEqual([]);
      expect(await search(one.gone === '1.2' ? 'and how' : 'why')).toHaveLength(1);
    }
  });

  test.each(['deleted', 'forgotten'] as const)(
    'is not in its prompt, as little as its answer, if it is alone in its turn and %s',
    async (how) => {
      const harness = await mergedThread();
      await harness.say('1.4', 'U1', 'Who was there?');
      await REMOVALS[how](harness, '1.2');
      await REMOVALS[how](harness, '1.3');
      await harness.queued();
      const prompt = JSON.stringify(harness.full[2]);
      expect(prompt).toMatch(/Who is there\?.*Answer 1.*Who was there\?/u);
      expect(prompt).not.toMatch(/Why\?|And how\?|Answer 2/u);
      expect(harness.storedTexts()).toEqual(['1.1', '1.4']);
    },
  );

  test('is not in the prompt of an answer that is made again either', async () => {
    const harness = await mergedThread();
    await harness.say('1.4', 'U1', 'Who was there?');
    await harness.queued();
    harness.time.advance(2_000);
    await harness.take({ ...REGENERATE_CLICK, message: messageId('1.4') });
    await harness.remove('1.3');
    await harness.queued();
    expect(harness.full).toHaveLength(4);
    expect(JSON.stringify(harness.full[3])).toMatch(/Why\?.*Who was there\?/u);
    expect(JSON.stringify(harness.full[3])).not.toContain('And how?');
  });
});

/** A model behind a rate limit: `whileWaiting` happens during the wait of some seconds for the nth permit. */
function limitedThread(whileWaiting: (nth: number) => Promise<unknown>, waitMs: number) {
  const time = new TestTime();
  const prompts: string[] = [];
  let permitsTaken = 0;
  const permits: RequestPermits = {
    ...UNLIMITED_PERMITS,
    takeFree: () => Promise.resolve(undefined),
    take: async (...request) => {
      permitsTaken += 1;
      time.advance(waitMs);
      await whileWaiting(permitsTaken);
      return UNLIMITED_PERMITS.take(...request);
    },
  };
  const chat = {
    ...streamsOnly,
    async *stream(prompt: readonly PromptMessage[], { beforeAttempt, signal }: ChatOptions) {
      await beforeAttempt(1, signal);
      prompts.push(JSON.stringify(prompt.at(-1)?.content));
      yield endEvent(`Answer ${prompts.length}.`);
    },
  };
  const harness = threadHarness([], { permits, chat }, time);
  /** Runs the tasks like the queue does: one that has to wait is delivered again before the others. */
  const deliver = async (isLast = false): Promise<number> => {
    let deliveries = 0;
    for (let sent = harness.tasks.shift(); sent; sent = harness.tasks.shift()) {
      for (let isRedelivery = false; ; isRedelivery = true) {
        deliveries += 1;
        const deadline = time.now() + 60_000;
        const { kind } = await dispatchTask(sent.body, harness.context, { deadline, isRedelivery, isLast });
        if (kind === 'done') break;
        expect(deliveries).toBeLessThan(10);
      }
    }
    return deliveries;
  };
  return { ...harness, prompts, deliver };
}

/** The questions `1.2` and `1.3`, which are merged; during the first wait `1.3` is deleted. */
async function deletedDuringWait(waitMs: number, isLast = false) {
  const harness = limitedThread((nth) => (nth === 1 ? harness.remove('1.3') : Promise.resolve()), waitMs);
  await harness.say('1.2', 'U1', 'Why?');
  await harness.say('1.3', 'U2', 'And how?');
  const deliveries = await harness.deliver(isLast);
  return { ...harness, deliveries };
}

describe('a question that is deleted while the question before it waits for a permit', () => {
  test('is not asked: the task returns to the queue once, and the other question is answered alone', async () => {
    const { prompts, deliveries, stored, storedTexts } = await deletedDuringWait(2_000);
    expect(prompts).toEqual([expect.stringContaining('Why?')]);
    expect(prompts[0]).not.toContain('And how?');
    expect(await stored('1.2')).toMatchObject({ mergedQuestions: [], outcome: { text: 'Answer 1.' } });
    expect(storedTexts()).toEqual(['1.2']);
    // Twice the first question, once the second, once its deletion.
    expect(deliveries).toBe(4);
  });

  test('is asked at the last delivery of the task, which nothing would follow', async () => {
    const { prompts } = await deletedDuringWait(2_000, true);
    expect(prompts).toEqual([expect.stringContaining('And how?')]);
  });

  test('is not asked when the turn is answered again', async () => {
    const harness = limitedThread((nth) => (nth === 2 ? harness.remove('1.2') : Promise.resolve()), 2_000);
    await harness.say('1.2', 'U1', 'Why?');
    await harness.say('1.3', 'U2', 'And how?');
    await harness.deliver();
    expect(harness.prompts).toEqual([expect.stringContaining('And how?')]);
    await harness.edit('1.3', 'U2', 'And where?');
    await harness.deliver();
    expect(harness.prompts).toHaveLength(2);
    expect(harness.prompts[1]).toContain('And where?');
    expect(harness.prompts[1]).not.toContain('Why?');
    expect(await harness.stored('1.2')).toMatchObject({ question: '', outcome: { text: 'Answer 2.' } });
  });

  test('does not delay the answer if the table cannot be read then', async () => {
    const harness = limitedThread(async () => {
      harness.context.turns.findDeleted = () => Promise.reject(new Error('the table cannot be reached'));
    }, 2_000);
    await harness.say('1.2', 'U1', 'Why?');
    await harness.say('1.3', 'U2', 'And how?');
    await harness.deliver();
    expect(harness.prompts).toHaveLength(1);
  });
});
