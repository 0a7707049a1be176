import { expect, test } from '@jest/globals';
import { EMPTY_POLICY } from '../../shared/billing/budgets/index.ts';
import { applyPolicyChange } from '../../shared/billing/edit-budget-policy.ts';

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
