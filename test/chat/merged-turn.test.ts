import { describe, expect, test } from '@jest/globals';
import { integrationUser, messageId, userId } from '../../shared/domain/index.ts';
import type { CompletionEvent } from '../../shared/ports/index.ts';
import type { WorkerContext } from '../../shared/worker/index.ts';
import { localize as text } from '../../shared/i18n/index.ts';
import { block, limit, NO, openThread } from './quota-thread.ts';
import { endEvent, fakePlatform } from './completion-harness.ts';
import { THREAD } from './thread-harness.ts';

const BLOCKED = `_${text('en', 'answers.budget.blocked', { command: 'quota' })}_`;
describe('merging', () => {
  test.each([
    ['is blocked', block('U2'), BLOCKED],
    [
      'has used up their budget',
      limit('U2', '0/day'),
      expect.stringContaining('Your budget for today is used up'),
    ],
  ])('leaves out a person who %s, and tells them why', async (_, change, why) => {
    const { say, queued, prompts, stored, outcome, quota } = await openThread();
    await quota(change);
    await say('1.2', 'U1', 'Why?');
    await say('1.3', 'U2', 'Write me a book.');
    await say('1.4', 'U3', 'And how?');
    await queued();
    expect(prompts).toHaveLength(2);
    expect(prompts[1]).toContain('And how?');
    expect(prompts[1]).not.toContain('book');
    expect((await stored('1.2'))?.mergedQuestions).toMatchObject([{ message: '1.4' }]);
    expect(await outcome('1.3')).toMatchObject({ kind: 'failed', text: why });
  });

  test.each([
    ['that is too long to be merged', 'U1', `Write me a poem. ${'Please. '.repeat(100)}`],
    ['of a person with a budget of their own', 'U2', 'Write me a poem.'],
    ['of an integration', integrationUser({ id: '0123456789abcdef' }), 'Write me a poem.'],
  ])('ends before a question %s: later ones are answered after it', async (_, asker, words) => {
    const { say, queued, prompts, quota } = await openThread();
    await quota(limit('U2', '9/day'));
    await say('1.2', 'U1', 'Why?');
    await say('1.3', asker, words);
    await say('1.4', 'U3', 'And how?');
    await queued();
    expect(prompts[1]).toContain('Why?');
    expect(prompts[1]).not.toMatch(/poem|how/u);
    expect(prompts.at(-1)).toContain('And how?');
  });

  test('charges each person with a budget for their own question', async () => {
    const { say, queued, prompts, outcome, quota, paid } = await openThread();
    await quota(limit('U2', '1/day'));
    for (const round of [2, 3, 4]) {
      await say(`${round}.1`, 'U1', 'Why?');
      await say(`${round}.2`, 'U2', 'Write me a book.');
      await queued();
    }
    expect(prompts.filter((prompt) => prompt.includes('book'))).toHaveLength(1);
    expect(await outcome('2.2')).toMatchObject({ kind: 'answered' });
    expect(await outcome('3.2')).toMatchObject({ kind: 'failed', reason: 'over-budget' });
    expect(await paid('U2')).toBe(1);
  });

  test('leaves out a question that another turn has answered, even if its own record does not say so', async () => {
    const { say, queued, prompts, stored, quota, context } = await openThread();
    // A question of a blocked person is passed over.
    await quota(block('U2'));
    await say('1.2', 'U1', 'Why?');
    await say('1.3', 'U2', 'Write me a poem.');
    await say('1.4', 'U3', 'And how?');
    const { turns } = context;
    const commit = turns.commit.bind(turns);
    turns.commit = async (...args) => {
      turns.commit = commit;
      await commit(...args);
      throw new Error('the response to the commit is lost');
    };
    await expect(queued()).rejects.toThrow('the response to the commit is lost');
    expect((await stored('1.2'))?.mergedQuestions).toMatchObject([{ message: '1.4' }]);
    await quota({ kind: 'unblock', who: 'U2' });
    await queued();
    expect((await stored('1.3'))?.mergedQuestions).toEqual([]);
    expect(prompts.filter((prompt) => prompt.includes('And how?'))).toHaveLength(1);
  });

  test('keeps the questions of others when one person is refused', async () => {
    const { say, queued, outcome, stored, quota } = await openThread();
    await quota(block('U1'));
    await say('1.2', 'U1', 'Why?');
    await say('1.3', 'U2', 'And how?');
    await queued();
    expect(await outcome('1.2')).toMatchObject({ text: BLOCKED });
    expect(await outcome('1.3')).toMatchObject({ kind: 'answered' });
    expect((await stored('1.2'))?.mergedQuestions ?? []).toEqual([]);
  });

  test('keeps the questions of others when a budget turns out too small while the answer starts', async () => {
    const { say, queued, outcome, quota } = await openThread();
    // A request costs a dollar: the rest of the budget is too small, but not used up.
    await quota(limit('U1', '$0.50/day'));
    await say('1.2', 'U1', 'Why?');
    await say('1.3', 'U2', 'And how?');
    await queued();
    expect(await outcome('1.2')).toMatchObject({ reason: 'over-budget' });
    expect(await outcome('1.3')).toMatchObject({ kind: 'answered' });
  });
});

/** The turn without any question of U2. */
const WITHOUT = { question: 'Why?', mergedQuestions: [], outcome: { kind: 'answered', text: 'Together.' } };

/** U1 asks `1.2`, and U2 `1.3`, which is merged. Both are answered by "Together." */
async function mergedThread(
  scripts: readonly (readonly (CompletionEvent | Error)[])[] = [],
  more: Partial<WorkerContext> = {},
) {
  const harness = await openThread([[endEvent('Together.')], ...scripts], more);
  await harness.say('1.2', 'U1', 'Why?');
  await harness.say('1.3', 'U2', 'And how?');
  await harness.queued();
  expect(await harness.stored('1.2')).toMatchObject({
    mergedQuestions: [{ message: '1.3' }],
    outcome: { text: 'Together.' },
  });
  return harness;
}

describe('a merged question', () => {
  test('is answered again after an edit, with the account and settings of the turn owner', async () => {
    const { edit, queued, full, outcome, paid, context } = await mergedThread();
    await context.settingsStore.change(
      { platform: 'slack', workspace: 'T1', channel: 'C1', user: 'U2' },
      'person',
      {
        change: { level: 'person', setting: 'language', kind: 'value', value: 'de' },
        edit: (layer) => ({ ...layer, values: { ...layer.values, language: 'de' } }),
        by: 'U2',
      },
    );
    await edit('1.3', 'U2', 'And where?');
    await queued();
    expect((await outcome('1.2'))?.text).toBe('Answer 3.');
    expect(JSON.stringify(full.at(-1)?.at(-1))).toContain('(another person, <@U2>:) And where?');
    expect(JSON.stringify(full.at(-1)?.[0])).not.toContain('German');
    expect([await paid('U1'), await paid('U2')]).toEqual([2, 0]);
  });

  test.each([
    ['is blocked', block('U2'), BLOCKED.slice(1, -1)],
    ['has used up their budget', limit('U2', '0/day'), 'Your budget for today is used up'],
  ])(
    'that its author edits who %s by now is removed, the answer stays, and they are told',
    async (_, change, why) => {
      const { edit, remove, queued, prompts, stored, whispers, quota, storedTexts } = await mergedThread();
      await quota(change);
      await edit('1.3', 'U2', 'And where?');
      await queued();
      expect(await stored('1.2')).toMatchObject(WITHOUT);
      expect(whispers).toEqual([expect.stringContaining(`U2: `)]);
      expect(whispers[0]).toContain(why);
      expect(whispers[0]).toContain(text('en', 'answers.redo.taken-out'));
      // A question that is part of no answer can be asked again, which the notice says.
      await edit('1.3', 'U2', 'And when?', '9.2');
      await queued();
      expect(whispers[1]).toBe(`U2: ${text('en', 'answers.redo.gone')}`);
      await remove('1.3');
      await queued();
      expect(await stored('1.2')).toMatchObject(WITHOUT);
      expect(storedTexts()).toEqual(['1.1', '1.2']);
      expect(prompts).toHaveLength(2);
      expect(whispers).toHaveLength(2);
    },
  );

  test('stays answered when the message at the root of the thread is deleted', async () => {
    const { remove, queued, stored } = await mergedThread();
    await remove('1.1');
    await queued();
    expect(await stored('1.2')).toMatchObject({
      mergedQuestions: [{ message: '1.3' }],
      outcome: { text: 'Together.' },
    });
  });

  test('is removed when it is deleted, without a model request, and the answer stays', async () => {
    const { remove, queued, prompts, stored, quota, whispers } = await mergedThread([[NO]]);
    await quota(block('U1'));
    await remove('1.3');
    await queued();
    expect(prompts).toHaveLength(2);
    expect(await stored('1.2')).toMatchObject(WITHOUT);
    await remove('1.3');
    await queued();
    expect(await stored('1.2')).toMatchObject({ outcome: { text: 'Together.' } });
    expect(whispers).toEqual([]);
  });

  test('that is deleted while the table fails is removed by the next delivery', async () => {
    const { remove, queued, stored, context } = await mergedThread();
    const { turns } = context;
    const rewrite = turns.rewrite.bind(turns);
    turns.rewrite = async () => {
      throw new Error('the table cannot be reached');
    };
    await remove('1.3');
    await expect(queued()).rejects.toThrow('the table cannot be reached');
    turns.rewrite = rewrite;
    await remove('1.3');
    await queued();
    expect(await stored('1.2')).toMatchObject(WITHOUT);
  });

  test('keeps its answer when the first question is deleted; the answer goes with the last question', async () => {
    const { remove, queued, prompts, stored, storedTexts } = await mergedThread();
    await remove('1.2');
    await queued();
    expect(await stored('1.2')).toMatchObject({
      question: '',
      mergedQuestions: [{ message: '1.3' }],
      outcome: { text: 'Together.' },
    });
    expect(prompts).toHaveLength(2);
    await remove('1.3');
    await queued();
    expect(storedTexts()).toEqual(['1.1']);
  });

  test('that is deleted takes nothing of others along when the first message of the thread is gone', async () => {
    const { remove, queued, stored } = await mergedThread();
    await remove('1.1');
    await queued();
    await remove('1.3');
    await queued();
    expect(await stored('1.2')).toMatchObject(WITHOUT);
  });
});

test.each([
  ['the server fails', undefined],
  ['the budget is used up', limit('U1', '0/day')],
])('an edit that gets no answer because %s keeps the old answer, and explains why', async (_, change) => {
  const { edit, queued, stored, whispers, quota } = await mergedThread([[NO], [NO]]);
  if (change) await quota(change);
  await edit('1.2', 'U1', 'Wherefore?');
  await queued();
  expect(await stored('1.2')).toMatchObject({ question: 'Wherefore?', outcome: { text: 'Together.' } });
  await edit('1.3', 'U2', 'And where?', '9.2');
  await queued();
  expect(await stored('1.2')).toMatchObject({
    mergedQuestions: [{ question: expect.stringContaining('And where?') }],
    outcome: { text: 'Together.' },
  });
  expect(whispers.map((words) => words.slice(0, 3))).toEqual(['U1:', 'U2:']);
});

describe('where an ephemeral notice is impossible, as for an edited message in Discord', () => {
  const unheard = { platform: { ...fakePlatform(), postEphemeral: async () => false } };

  test('the notice is shown once below the answer, and the next answer removes it', async () => {
    const { edit, take, queued, outcome, time } = await mergedThread(
      [[NO], [NO], [endEvent('New.')]],
      unheard,
    );
    for (const at of ['9.1', '9.2']) {
      await edit('1.2', 'U1', `Wherefore, ${at}?`, at);
      await queued();
      const changed = await outcome('1.2');
      expect(changed).toMatchObject({
        kind: 'answered',
        text: expect.stringMatching(/^Together\.\n\n_[^_]+_$/u),
      });
      expect(changed?.kind === 'answered' && changed.text.slice(0, -(changed.closing ?? 0))).toBe(
        'Together.',
      );
    }
    time.advance(2_000);
    const message = messageId('1.2');
    await take({
      kind: 'button-clicked',
      thread: THREAD,
      message,
      by: userId('U1'),
      at: '9.3',
      action: { kind: 'regenerate' },
    });
    await queued();
    expect((await outcome('1.2'))?.text).toBe('New.');
  });

  test('a person who may no longer ask gets the notice there too', async () => {
    const { edit, queued, stored, quota } = await mergedThread([], unheard);
    await quota(block('U2'));
    await edit('1.3', 'U2', 'And where?');
    await queued();
    const takenOut = text('en', 'answers.redo.taken-out');
    expect(await stored('1.2')).toMatchObject({
      mergedQuestions: [],
      outcome: { kind: 'answered', text: `Together.\n\n${BLOCKED}\n\n_${takenOut}_` },
    });
  });
});
