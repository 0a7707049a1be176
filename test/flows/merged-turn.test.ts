import { describe, expect, test } from '@jest/globals';
import { granted, type QuotaWish } from '../../shared/flows/quota.ts';
import type { ChatEvent } from '../../shared/flows/index.ts';
import { say as text } from '../../shared/texts/index.ts';
import { ServerError } from '../../shared/upstream/index.ts';
import { spendingIn } from '../fakes/spending.ts';
import { randomFrom } from '../faults/random.ts';
import { TestTime } from '../upstream/time.ts';
import { end } from './rig.ts';
import { THREAD, threadWorld } from './thread-world.ts';

const BLOCKED = `_${text('en', 'answers.budget.blocked')}_`;
const NO = new ServerError('no', { status: 500 });

/** A thread in which the first question is answered already, where each call costs a dollar. */
async function openThread(scripts: readonly (readonly (ChatEvent | Error)[])[] = []) {
  const time = new TestTime();
  const spending = spendingIn(time);
  const world = threadWorld([[end('Answer 1.')], ...scripts], { spending }, time);
  const quota = async (wish: QuotaWish) => {
    await spending.change(THREAD, (book) => granted(book, wish, time.now(), 'UTC'));
    time.advance(30_001);
  };
  /** Requests that a person has paid for today. */
  const paid = async (user: string) => {
    const accounts = await spending.accounts(THREAD, '1970-01-01', '2100-01-01');
    const theirs = accounts.filter(({ account }) => account.endsWith(`#person#${user}`));
    return theirs.reduce((sum, { requests }) => sum + requests, 0);
  };
  await world.say('1.1', 'U9', 'Who is there?');
  await world.queued();
  return { ...world, spending, quota, paid };
}

const block = (who: string): QuotaWish => ({ kind: 'block', who });
const limit = (of: string, amount: string): QuotaWish => ({ kind: 'set', scope: 'person', of, amount });

describe('who is merged', () => {
  test.each([
    ['is blocked', block('U2'), BLOCKED],
    [
      'has used up their budget',
      limit('U2', '0/day'),
      expect.stringContaining('Your budget for today is used up'),
    ],
  ])(
    'a question of somebody who %s is not answered along with another; they are told why',
    async (_, wish, why) => {
      const { say, queued, prompts, stored, ending, quota } = await openThread();
      await quota(wish);
      await say('1.2', 'U1', 'Why?');
      await say('1.3', 'U2', 'Write me a book.');
      await say('1.4', 'U3', 'And how?');
      await queued();
      expect(prompts).toHaveLength(2);
      expect(prompts[1]).toContain('And how?');
      expect(prompts[1]).not.toContain('book');
      expect((await stored('1.2'))?.folded).toMatchObject([{ message: '1.4' }]);
      expect(await ending('1.3')).toMatchObject({ kind: 'failed', text: why });
    },
  );

  test('whoever has a budget pays for what they ask: merging does not get round it', async () => {
    const { say, queued, prompts, ending, quota, paid } = await openThread();
    await quota(limit('U2', '1/day'));
    for (const round of [2, 3, 4]) {
      await say(`${round}.1`, 'U1', 'Why?');
      await say(`${round}.2`, 'U2', 'Write me a book.');
      await queued();
    }
    expect(prompts.filter((prompt) => prompt.includes('book'))).toHaveLength(1);
    expect(await ending('2.2')).toMatchObject({ kind: 'answered' });
    expect(await ending('3.2')).toMatchObject({ kind: 'failed', reason: 'over-budget' });
    expect(await paid('U2')).toBe(1);
  });

  test('who is refused does not take the questions of others with them', async () => {
    const { say, queued, ending, stored, quota } = await openThread();
    await quota(block('U1'));
    await say('1.2', 'U1', 'Why?');
    await say('1.3', 'U2', 'And how?');
    await queued();
    expect(await ending('1.2')).toMatchObject({ text: BLOCKED });
    expect(await ending('1.3')).toMatchObject({ kind: 'answered' });
    expect((await stored('1.2'))?.folded ?? []).toEqual([]);
  });

  test('nor does somebody whose budget turns out to be too small while the answer is begun', async () => {
    const { say, queued, ending, quota } = await openThread();
    // A call costs a dollar: what is left is not enough, and not used up either.
    await quota(limit('U1', '$0.50/day'));
    await say('1.2', 'U1', 'Why?');
    await say('1.3', 'U2', 'And how?');
    await queued();
    expect(await ending('1.2')).toMatchObject({ reason: 'over-budget' });
    expect(await ending('1.3')).toMatchObject({ kind: 'answered' });
  });
});

/** That turn when nothing is left in it of what U2 asked. */
const WITHOUT = { question: 'Why?', folded: [], ending: { kind: 'answered', text: 'Together.' } };

/** U1 asks `1.2`, and U2 `1.3` along with it. Both are answered by "Together." */
async function mergedThread(scripts: readonly (readonly (ChatEvent | Error)[])[] = []) {
  const world = await openThread([[end('Together.')], ...scripts]);
  await world.say('1.2', 'U1', 'Why?');
  await world.say('1.3', 'U2', 'And how?');
  await world.queued();
  expect(await world.stored('1.2')).toMatchObject({
    folded: [{ message: '1.3' }],
    ending: { text: 'Together.' },
  });
  return world;
}

describe('a question that was merged', () => {
  test('and is edited is answered anew on the account of whose turn it is, with their settings', async () => {
    const { edit, queued, full, ending, paid, deps } = await mergedThread();
    await deps.choices.change({ platform: 'slack', workspace: 'T1', channel: 'C1', user: 'U2' }, 'person', {
      change: { level: 'person', setting: 'language', kind: 'value', value: 'de' },
      edit: (layer) => ({ ...layer, values: { ...layer.values, language: 'de' } }),
      by: 'U2',
    });
    await edit('1.3', 'U2', 'And where?');
    await queued();
    expect((await ending('1.2'))?.text).toBe('Answer 3.');
    expect(JSON.stringify(full.at(-1)?.at(-1))).toContain('(another person, <@U2>:) And where?');
    expect(JSON.stringify(full.at(-1)?.[0])).not.toContain('German');
    expect([await paid('U1'), await paid('U2')]).toEqual([2, 0]);
  });

  test.each([
    ['is blocked', block('U2'), text('en', 'answers.budget.blocked')],
    ['has used up their budget', limit('U2', '0/day'), 'Your budget for today is used up'],
  ])(
    'by somebody who %s by now: the answer stays without their question, and they are told',
    async (_, wish, why) => {
      const { edit, remove, queued, prompts, stored, whispers, quota, kept } = await mergedThread();
      await quota(wish);
      await edit('1.3', 'U2', 'And where?');
      await queued();
      expect(await stored('1.2')).toMatchObject(WITHOUT);
      expect(whispers).toEqual([expect.stringContaining(`U2: `)]);
      expect(whispers[0]).toContain(why);
      expect(whispers[0]).toContain(text('en', 'answers.redo.taken-out'));
      // What is not part of any answer can be asked once more, which is said.
      await edit('1.3', 'U2', 'And when?', '9.2');
      await queued();
      expect(whispers[1]).toBe(`U2: ${text('en', 'answers.redo.gone')}`);
      await remove('1.3');
      await queued();
      expect(await stored('1.2')).toMatchObject(WITHOUT);
      expect(kept()).toEqual(['1.1', '1.2']);
      expect(prompts).toHaveLength(2);
      expect(whispers).toHaveLength(2);
    },
  );

  test('and is deleted is taken out without asking the model; the answer stays', async () => {
    const { remove, queued, prompts, stored, quota, whispers } = await mergedThread([[NO]]);
    await quota(block('U1'));
    await remove('1.3');
    await queued();
    expect(prompts).toHaveLength(2);
    expect(await stored('1.2')).toMatchObject(WITHOUT);
    await remove('1.3');
    await queued();
    expect(await stored('1.2')).toMatchObject({ ending: { text: 'Together.' } });
    expect(whispers).toEqual([]);
  });

  test('stays with the answer when the first question is deleted; with the last one all goes', async () => {
    const { remove, queued, prompts, stored, kept } = await mergedThread();
    await remove('1.2');
    await queued();
    expect(await stored('1.2')).toMatchObject({
      question: '',
      folded: [{ message: '1.3' }],
      ending: { text: 'Together.' },
    });
    expect(prompts).toHaveLength(2);
    await remove('1.3');
    await queued();
    expect(kept()).toEqual(['1.1']);
  });

  test('and is deleted in a thread whose first message is gone takes nothing of others along', async () => {
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
])(
  'an edit to which there is no answer as %s leaves the answer that was there, and says why',
  async (_, wish) => {
    const { edit, queued, stored, whispers, quota } = await mergedThread([[NO], [NO]]);
    if (wish) await quota(wish);
    await edit('1.2', 'U1', 'Wherefore?');
    await queued();
    expect(await stored('1.2')).toMatchObject({ question: 'Wherefore?', ending: { text: 'Together.' } });
    await edit('1.3', 'U2', 'And where?', '9.2');
    await queued();
    expect(await stored('1.2')).toMatchObject({
      folded: [{ question: expect.stringContaining('And where?') }],
      ending: { text: 'Together.' },
    });
    expect(whispers.map((words) => words.slice(0, 3))).toEqual(['U1:', 'U2:']);
  },
);

/*
 * The property behind all of the above, looked for at random: people of different rights ask, edit, delete, are blocked and
 * let in again. Nobody's good answer becomes a failure through what others do; nobody without the right to ask has what they
 * ask then answered on the account of somebody else.
 */
test('random turns of people with different rights: no answer is lost, no right is got round', async () => {
  for (let seed = 1; seed <= 15; seed += 1) expect(await violationsOf(seed)).toEqual([]);
});

const PEOPLE = ['U1', 'U2', 'U3', 'U4'];

/** Plays a run, and resolves with what it came to that must not be. */
async function violationsOf(seed: number): Promise<string[]> {
  const violations: string[] = [];
  const random = randomFrom(seed);
  const below = (n: number): number => Math.floor(random() * n);
  const one = <T>(list: readonly T[]): T | undefined => list[below(list.length)];
  const world = await openThread(
    Array.from({ length: 60 }, (_, n) => (random() < 0.15 ? [NO] : [end(`Answer ${n + 2}.`)])),
  );
  const asked: { readonly id: string; readonly by: string }[] = [];
  /** Who may not ask, since which round, and what lets them in again. */
  const refused = new Map<string, { readonly since: number; readonly end: QuotaWish }>();
  const answers = async () => {
    const found = await Promise.all(
      asked.map(async ({ id }) => [id, (await world.stored(id))?.ending] as const),
    );
    return new Map(found.filter(([, ending]) => ending?.kind === 'answered'));
  };
  for (let round = 2; round < 10; round += 1) {
    const [before, sent] = [await answers(), world.full.length];
    const who = one(PEOPLE) ?? 'U1';
    const change = refused.get(who);
    if (change) {
      refused.delete(who);
      await world.quota(change.end);
    } else if (random() < 0.6) {
      const isBlock = random() < 0.5;
      const back: QuotaWish = isBlock ? { kind: 'unblock', who } : { kind: 'drop', scope: 'person', of: who };
      refused.set(who, { since: round, end: back });
      await world.quota(isBlock ? block(who) : limit(who, '0/day'));
    }
    for (let n = 1 + below(4); n > 0; n -= 1) {
      const question = { id: `${round}.${5 - n}`, by: one(PEOPLE) ?? 'U1' };
      asked.push(question);
      await world.say(question.id, question.by, `Round ${round} of ${question.by}.`);
    }
    if (random() < 0.6) await world.queued();
    const edited = one(asked);
    if (edited && random() < 0.7)
      await world.edit(edited.id, edited.by, `Round ${round} of ${edited.by}.`, `9.${round}`);
    const removed = random() < 0.4 ? one(asked) : undefined;
    if (removed) await world.remove(removed.id);
    await world.queued();
    const now = await answers();
    const lost = [...before.keys()].filter((id) => id !== removed?.id && !now.has(id));
    // What nobody but who removed it asked goes with it.
    const theirs = lost.filter((id) => asked.find((each) => each.id === id)?.by !== removed?.by);
    violations.push(...theirs.map((id) => `seed ${seed}, round ${round}: the answer to ${id} is lost`));
    const questions = JSON.stringify(world.full.slice(sent).map((prompt) => prompt.at(-1)?.content));
    for (const [person, { since }] of refused)
      for (let later = since; later <= round; later += 1)
        if (questions.includes(`Round ${later} of ${person}.`))
          violations.push(`seed ${seed}, round ${round}: ${person} is answered`);
  }
  return violations;
}
