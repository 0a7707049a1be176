import { expect, test } from '@jest/globals';
import { EMPTY_POLICY, parsePolicy } from '../../shared/billing/budgets/index.ts';
import { applyPolicyChange, quotaCard } from '../../shared/billing/edit-budget-policy.ts';

const now = Date.parse('2026-11-21T12:00:00Z');

/** A change of the budgets of all people, or of one. */
const personBudget = (kind: 'set' | 'grant', amount: string, of?: string) =>
  ({ kind, scope: 'person', amount, of, id: `${amount} ${of}` }) as const;

test('a grant is accepted only if it raises a budget', () => {
  const countGrants = (...changes: readonly ReturnType<typeof personBudget>[]) =>
    changes.reduce((old, one) => applyPolicyChange(old, one, now, 'UTC') ?? old, EMPTY_POLICY).grants.length;
  expect(countGrants(personBudget('grant', '$2'))).toBe(0);
  const requests = personBudget('set', '20/day');
  expect([
    countGrants(requests, personBudget('grant', '$2')),
    countGrants(requests, personBudget('grant', '5')),
  ]).toEqual([0, 1]);
  // A budget of a person is raised for everybody too, and replaces the general one for that person.
  const named = personBudget('set', '$1/day', 'U1');
  expect([
    countGrants(named, personBudget('grant', '$2')),
    countGrants(named, personBudget('grant', '$2', 'U2')),
  ]).toEqual([1, 0]);
  expect(countGrants(requests, named, personBudget('grant', '5', 'U1'))).toBe(0);
  expect(countGrants(requests, named, personBudget('grant', '5', 'U2'))).toBe(1);
});

/** The card of budgets that are stored so. */
const showStored = (stored: object) => {
  const policy = parsePolicy(JSON.stringify(stored));
  if (!policy) throw new Error('It cannot be read.');
  return JSON.stringify(quotaCard(policy, { zone: 'UTC', nowMs: now, locale: 'en', examples: '' }));
};

test('quota names what another version stored, and does not say that nothing is', () => {
  const none = 'No budgets are set.';
  expect(showStored({})).toContain(none);
  expect(showStored({})).not.toContain('another version');
  const newer = { scope: 'galaxy', period: 'day', requests: 5 };
  const unread = '2 entries of another version of this bot have no effect now.';
  expect(showStored({ rules: [newer], grants: [newer] })).toContain(unread);
  expect(showStored({ rules: [newer], grants: [newer] })).not.toContain(none);
  const both = showStored({ rules: [newer, { scope: 'person', period: 'day', requests: 5 }] });
  expect(both).toContain('5 requests');
  expect(both).toContain('1 entry of another version of this bot has no effect now.');
});
