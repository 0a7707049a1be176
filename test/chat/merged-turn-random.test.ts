import { expect, test } from '@jest/globals';
import type { BudgetPolicyChange } from '../../shared/billing/edit-budget-policy.ts';
import { createSeededRandom } from '../faults/seeded-random.ts';
import { block, limit, NO, openThread } from './quota-thread.ts';
import { endEvent } from './completion-harness.ts';

/*
 * The property behind the tests of merged turns, with random actions: people with different permissions ask, edit,
 * delete, are blocked and unblocked. No answer becomes a failure because of others; nobody without permission is
 * answered on another person's account.
 */
test('random turns of people with different rights lose no answer and grant no missing right', async () => {
  for (let seed = 1; seed <= 15; seed += 1) expect(await violationsOf(seed)).toEqual([]);
});

const PEOPLE = ['U1', 'U2', 'U3', 'U4'];

/** Runs the actions, and resolves with the violations. */
async function violationsOf(seed: number): Promise<string[]> {
  const violations: string[] = [];
  const random = createSeededRandom(seed);
  const below = (n: number): number => Math.floor(random() * n);
  const one = <T>(list: readonly T[]): T | undefined => list[below(list.length)];
  const harness = await openThread(
    Array.from({ length: 60 }, (_, n) => (random() < 0.15 ? [NO] : [endEvent(`Answer ${n + 2}.`)])),
  );
  const messages: { readonly id: string; readonly by: string }[] = [];
  /** Who may not ask, since which round, and what changes that. */
  const limitsOfPeople = new Map<string, { readonly since: number; readonly end: BudgetPolicyChange }>();
  const answers = async () => {
    const outcomes = await Promise.all(
      messages.map(async ({ id }) => [id, (await harness.stored(id))?.outcome] as const),
    );
    return new Map(outcomes.filter(([, outcome]) => outcome?.kind === 'answered'));
  };
  for (let round = 2; round < 10; round += 1) {
    const [before, sent] = [await answers(), harness.full.length];
    const who = one(PEOPLE) ?? 'U1';
    const change = limitsOfPeople.get(who);
    if (change) {
      limitsOfPeople.delete(who);
      await harness.quota(change.end);
    } else if (random() < 0.6) {
      const isBlock = random() < 0.5;
      const back: BudgetPolicyChange = isBlock
        ? { kind: 'unblock', who }
        : { kind: 'drop', scope: 'person', of: who };
      limitsOfPeople.set(who, { since: round, end: back });
      await harness.quota(isBlock ? block(who) : limit(who, '0/day'));
    }
    for (let n = 1 + below(4); n > 0; n -= 1) {
      const question = { id: `${round}.${5 - n}`, by: one(PEOPLE) ?? 'U1' };
      messages.push(question);
      await harness.say(question.id, question.by, `Round ${round} of ${question.by}.`);
    }
    if (random() < 0.6) await harness.queued();
    const edited = one(messages);
    if (edited && random() < 0.7)
      await harness.edit(edited.id, edited.by, `Round ${round} of ${edited.by}.`, `9.${round}`);
    const removed = random() < 0.4 ? one(messages) : undefined;
    if (removed) await harness.remove(removed.id);
    await harness.queued();
    const now = await answers();
    const lost = [...before.keys()].filter((id) => id !== removed?.id && !now.has(id));
    // Questions that nobody else removed are deleted with it.
    const theirs = lost.filter((id) => messages.find((each) => each.id === id)?.by !== removed?.by);
    violations.push(...theirs.map((id) => `seed ${seed}, round ${round}: the answer to ${id} is lost`));
    const questions = JSON.stringify(harness.full.slice(sent).map((prompt) => prompt.at(-1)?.content));
    for (const [person, { since }] of limitsOfPeople)
      for (let later = since; later <= round; later += 1)
        if (questions.includes(`Round ${later} of ${person}.`))
          violations.push(`seed ${seed}, round ${round}: ${person} is answered`);
  }
  return violations;
}
