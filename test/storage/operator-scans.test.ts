import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { getAccountName } from '../../shared/billing/budgets/index.ts';
import { CHAT_LIMIT, createGcraRule } from '../../shared/rate-limits/index.ts';
import {
  Breakers,
  KeyRateLimiter,
  Ledger,
  queryDailyAccounts,
  scanDailyAccounts,
  scanLimits,
  TokenBuckets,
} from '../../shared/storage/index.ts';
import { startTables } from '../fakes/tables.ts';

const NOON = Date.UTC(2026, 10, 23, 12);
const SUBJECT = { person: 'U1', channel: 'C1' };

let tables: Awaited<ReturnType<typeof startTables>>;
beforeAll(async () => {
  tables = await startTables();
});
afterAll(() => tables.close());

const scan = (input: Parameters<(typeof tables.client)['scan']>[0]) => tables.client.scan(input);

/** Books seven attodollars, so many days before noon. */
const book = async (
  workspace: string,
  scope: 'person' | 'channel' | 'workspace',
  days: number,
  model = 'edge',
) => {
  const ledger = new Ledger({ dynamo: tables.dynamo, table: 'conversations', now: () => NOON });
  const ms = NOON - days * 86_400_000;
  await ledger.book(
    { partition: `ACCOUNT#${workspace}`, account: getAccountName(scope, SUBJECT, 'day', ms, 'UTC') },
    { id: `${scope}${days}`, model, prompt: 10, cached: 0, completion: 2, atto: 7n, priced: true },
  );
};

describe('the scan of accounts', () => {
  test('returns the days of people, channels and workspaces since the first day, and no weeks', async () => {
    await book('slack#T1', 'person', 0);
    await book('slack#T1', 'person', 2);
    await book('discord#42', 'channel', 1);
    await book('slack#T1', 'workspace', 0);
    const ledger = new Ledger({ dynamo: tables.dynamo, table: 'conversations', now: () => NOON });
    const week = {
      partition: 'ACCOUNT#slack#T1',
      account: getAccountName('person', SUBJECT, 'week', NOON, 'UTC'),
    };
    const booking = { model: 'edge', prompt: 1, cached: 0, completion: 1, atto: 1n, priced: true };
    await ledger.book(week, { id: 'w', ...booking });
    const { accounts, isComplete } = await scanDailyAccounts(scan, 'conversations', '2026-11-22', 10);
    expect(isComplete).toBe(true);
    const own = await queryDailyAccounts(
      tables.dynamo,
      'conversations',
      { platform: 'slack', workspace: 'T1' },
      '2026-11-22',
    );
    expect(own.accounts).toEqual(accounts.filter(({ workspace }) => workspace === 'T1'));
    expect(own.accounts.length).toBeLessThan(accounts.length);
    const rows = accounts.map(({ platform, workspace, day, scope, id }) => [
      platform,
      workspace,
      day,
      scope,
      id,
    ]);
    expect(rows.toSorted((a, b) => a.join(' ').localeCompare(b.join(' ')))).toEqual([
      ['discord', '42', '2026-11-22', 'channel', 'C1'],
      ['slack', 'T1', '2026-11-23', 'person', 'U1'],
      ['slack', 'T1', '2026-11-23', 'workspace', 'all'],
    ]);
    expect(accounts[0]?.counters).toMatchObject({
      atto: 7n,
      models: { edge: { prompt: 10, completion: 2 } },
    });
  });

  test('ends after the given number of pages, and says so', async () => {
    const LastEvaluatedKey = { pk: { S: 'x' }, sk: { S: 'y' } };
    let pages = 0;
    const endless = () => Promise.resolve({ Items: [], LastEvaluatedKey, pages: (pages += 1) });
    expect(await scanDailyAccounts(endless, 'conversations', '2026-11-22', 3)).toEqual({
      accounts: [],
      isComplete: false,
    });
    expect(pages).toBe(3);
  });
});

describe('the scan of limits', () => {
  test('returns the used part of each bucket, who waits, and pauses', async () => {
    const buckets = new TokenBuckets(tables.dynamo, 'tokens', () => NOON);
    const limiter = new KeyRateLimiter({
      buckets,
      family: 'chat',
      limit: CHAT_LIMIT,
      keys: () => Promise.resolve(['abc']),
      now: () => NOON,
      random: () => 0.5,
    });
    const ask = { priority: 'person', person: 'U1', maxWaitMs: 60_000 } as const;
    const full = Array.from({ length: 30 }, () => limiter.take({ ...ask, person: 'U1' }));
    await Promise.all(full);
    const { limits } = await scanLimits(scan, 'tokens', NOON, 10);
    expect(limits).toHaveLength(1);
    const [limit] = limits;
    expect(limit).toMatchObject({ key: 'abc', family: 'chat', burst: 30, pausedUntilMs: undefined });
    expect(limit?.used).toBeGreaterThan(0);
    expect(limit?.used).toBeLessThanOrEqual(30);
    expect(limit?.waiting).toBeGreaterThan(0);
    const [emptied] = (await scanLimits(scan, 'tokens', NOON + 600_000, 10)).limits;
    expect(emptied).toMatchObject({ used: 0, waiting: 0 });
  });

  test('counts three requests of a burst as three', async () => {
    const buckets = new TokenBuckets(tables.dynamo, 'tokens', () => NOON);
    const rule = createGcraRule({ perMinute: 120, burst: 30 });
    for (let i = 0; i < 3; i += 1) await buckets.take('KEY#three#chat', rule, { maxWaitMs: 0 });
    const { limits } = await scanLimits(scan, 'tokens', NOON, 10);
    expect(limits.find(({ key }) => key === 'three')).toMatchObject({ used: 3, burst: 30, waiting: 0 });
  });

  test('returns models without capacity until they get requests again', async () => {
    const breakers = new Breakers({
      dynamo: tables.dynamo,
      table: 'tokens',
      now: () => NOON,
      random: () => 0.5,
    });
    await breakers.recordFailure('edge');
    const open = await scanLimits(scan, 'tokens', NOON, 10);
    expect(open.breakers).toEqual([{ model: 'edge', untilMs: expect.any(Number) }]);
    const untilMs = open.breakers[0]?.untilMs ?? 0;
    expect(untilMs).toBeGreaterThan(NOON);
    expect((await scanLimits(scan, 'tokens', untilMs, 10)).breakers).toEqual([]);
  });
});
