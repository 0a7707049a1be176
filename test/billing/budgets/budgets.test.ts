import { describe, expect, test } from '@jest/globals';
import { assert, bigInt, constantFrom, integer, property } from 'fast-check';
import {
  getAccountName,
  serializePolicy,
  findBudgets,
  ATTO_PER_DOLLAR,
  EMPTY_POLICY,
  endOfPeriod,
  formatExactDollars,
  parsePolicy,
  parseDollars,
  periodKey,
  PERIODS,
  usedShare,
} from '../../../shared/billing/budgets/index.ts';
import { applyPolicyChange } from '../../../shared/billing/index.ts';

const BERLIN = 'Europe/Berlin';
const at = (text: string): number => Date.parse(text);
const SUBJECT = { person: 'U1', channel: 'C1' };

describe('an amount', () => {
  test('is parsed and formatted exactly', () => {
    assert(
      property(bigInt({ min: 0n, max: 10n ** 26n }), (atto) => {
        expect(parseDollars(formatExactDollars(atto))).toBe(atto);
      }),
    );
    expect(parseDollars('$2.50')).toBe((5n * ATTO_PER_DOLLAR) / 2n);
    for (const invalid of ['', '-1', '1e3', '1.2.3', 'two', '1,5', '12345678901'])
      expect(parseDollars(invalid)).toBeUndefined();
  });
});

describe('a period', () => {
  test('follows the calendar of the time zone', () => {
    const late = at('2026-11-21T23:30:00Z');
    expect(periodKey('day', late, 'UTC')).toBe('D#2026-11-21');
    expect(periodKey('day', late, BERLIN)).toBe('D#2026-11-22');
    expect(periodKey('week', late, BERLIN)).toBe('W#2026-11-16');
    expect(periodKey('month', late, BERLIN)).toBe('M#2026-11-01');
  });

  test('ends at local midnight, also when the clocks change', () => {
    expect(endOfPeriod('day', at('2026-10-25T10:00:00Z'), BERLIN)).toBe(at('2026-10-25T23:00:00Z'));
    expect(endOfPeriod('day', at('2026-03-29T00:30:00Z'), BERLIN)).toBe(at('2026-03-29T22:00:00Z'));
    expect(endOfPeriod('month', at('2026-02-03T00:00:00Z'), 'UTC')).toBe(at('2026-03-01T00:00:00Z'));
  });

  test('ends after now, where the next one starts', () => {
    assert(
      property(
        integer({ min: at('2025-01-01'), max: at('2030-01-01') }),
        constantFrom(...PERIODS),
        constantFrom('UTC', BERLIN, 'America/Sao_Paulo', 'Asia/Kolkata', 'Pacific/Auckland'),
        (now, period, zone) => {
          const end = endOfPeriod(period, now, zone);
          const key = periodKey(period, now, zone);
          expect(end).toBeGreaterThan(now);
          expect(periodKey(period, end - 1, zone)).toBe(key);
          expect(periodKey(period, end, zone) > key).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('a policy', () => {
  const now = at('2026-11-21T12:00:00Z');
  const day = periodKey('day', now, 'UTC');
  const policy = {
    ...EMPTY_POLICY,
    rules: [
      { scope: 'person', period: 'day', atto: ATTO_PER_DOLLAR },
      { scope: 'person', of: 'U1', period: 'day', atto: 3n * ATTO_PER_DOLLAR, requests: 10 },
      { scope: 'channel', of: 'C2', period: 'day', requests: 5 },
      { scope: 'workspace', period: 'month', atto: 100n * ATTO_PER_DOLLAR },
    ],
    grants: [
      { scope: 'person', of: 'U1', day, atto: 2n * ATTO_PER_DOLLAR, requests: 0 },
      { scope: 'person', of: 'U1', day: 'D#2026-11-20', atto: 50n * ATTO_PER_DOLLAR, requests: 0 },
      { scope: 'person', of: 'U2', day, atto: 7n * ATTO_PER_DOLLAR, requests: 0 },
      { scope: 'workspace', day: 'D#2026-11-20', atto: ATTO_PER_DOLLAR, requests: 0 },
    ],
  } as const;

  test('gives a named person their own budget plus the grants for today', () => {
    const budgets = findBudgets(
      { ...policy, rules: [...policy.rules], grants: [...policy.grants], blocked: [] },
      SUBJECT,
      now,
      'UTC',
    );
    expect(budgets.map(({ account, limit }) => [account, limit])).toEqual([
      ['D#2026-11-21#person#U1', { atto: 5n * ATTO_PER_DOLLAR, requests: 10 }],
      ['M#2026-11-01#workspace#all', { atto: 101n * ATTO_PER_DOLLAR }],
    ]);
    expect(getAccountName('channel', SUBJECT, 'week', now, 'UTC')).toBe('W#2026-11-16#channel#C1');
    const evening = at('2026-11-21T18:00:00Z');
    expect(getAccountName('channel', SUBJECT, 'day', evening, 'Asia/Tokyo')).toBe('D#2026-11-22#channel#C1');
  });

  test('is serialized exactly; invalid text is rejected', () => {
    const text = serializePolicy({
      ...policy,
      rules: [...policy.rules],
      grants: [...policy.grants],
      blocked: ['U9'],
    });
    expect(parsePolicy(text)).toEqual({ ...policy, blocked: ['U9'] });
    expect(parsePolicy('{')).toBeUndefined();
  });

  test('a rule that cannot be read has no effect on the others, and is serialized as it was', () => {
    const quarterly = { scope: 'person', period: 'quarter', atto: '7' };
    const onMoon = { scope: 'moon', day: 'D#2026-11-21', requests: 1 };
    const daily = { scope: 'person', period: 'day', atto: '5' };
    const text = JSON.stringify({ rules: [quarterly, daily], grants: [onMoon], blocked: ['U9'] });
    const read = parsePolicy(text);
    expect(read).toMatchObject({ rules: [{ period: 'day', atto: 5n }], grants: [], blocked: ['U9'] });
    const changed = read && applyPolicyChange(read, { kind: 'block', who: 'U8' }, 0, 'UTC');
    expect(changed && JSON.parse(serializePolicy(changed))).toEqual({
      rules: [daily, quarterly],
      grants: [onMoon],
      blocked: ['U9', 'U8'],
    });
    for (const invalid of ['{"rules":{}}', '{"blocked":[1]}', 'null'])
      expect(parsePolicy(invalid)).toBeUndefined();
  });

  test('counts the higher share of money and requests as used', () => {
    expect(
      usedShare({ atto: ATTO_PER_DOLLAR, requests: 10 }, { atto: ATTO_PER_DOLLAR / 2n, requests: 8 }),
    ).toBe(0.8);
    expect(usedShare({ atto: ATTO_PER_DOLLAR }, { atto: (9n * ATTO_PER_DOLLAR) / 10n, requests: 800 })).toBe(
      0.9,
    );
    expect(usedShare({ requests: 0 }, { atto: 0n, requests: 0 })).toBe(1);
  });
});
