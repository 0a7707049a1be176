import { describe, expect, test } from '@jest/globals';
import { CREDENTIALS, REGION, startFakeAws } from '../fake-aws.ts';
import { parseWorkspace } from '../../../../infra/parley/operator/parse-workspace.ts';
import { BudgetPolicies } from '../../../../shared/storage/index.ts';
import { createMemoryDynamo } from '../../../fakes/dynamo.ts';
import { workspaceId } from '../../../../shared/domain/index.ts';
import type { DailyAccount, ModelUsage } from '../../../../shared/storage/index.ts';
import { formatCsv, summarizeUsage } from '../../../../infra/parley/usage/summarize-usage.ts';
import {
  findFirstDay,
  findZone,
  printUsage,
  readAccounts,
} from '../../../../infra/parley/usage/usage-command.ts';

const spent = (requests: number, dollars: number, unknown = 0): ModelUsage => ({
  requests,
  prompt: requests * 1_000,
  cached: 0,
  completion: requests * 10,
  atto: BigInt(dollars * 100) * 10n ** 16n,
  unknown,
  estimated: 0,
});
const account = (
  scope: DailyAccount['scope'],
  id: string,
  day: string,
  models: Readonly<Record<string, ModelUsage>>,
): DailyAccount => ({
  platform: 'slack',
  workspace: workspaceId('T1'),
  day,
  scope,
  id,
  counters: { account: '', atto: 0n, requests: 0, questions: 0, failures: 0, models },
});
const ACCOUNTS = [
  account('person', 'U1', '2026-11-02', { edge: spent(2, 0.5), deep: spent(1, 1) }),
  account('person', 'U1', '2026-11-01', { edge: spent(1, 0.25) }),
  account('person', 'U2', '2026-11-01', { edge: spent(4, 3, 2) }),
  account('workspace', 'all', '2026-11-02', { edge: spent(2, 0.5), deep: spent(1, 1) }),
  account('workspace', 'all', '2026-11-01', { edge: spent(5, 3.25, 2) }),
];

const DAY_MS = 24 * 60 * 60_000;

test('days are those of the time zone that the workspace has set, otherwise of the system', async () => {
  const local = { kind: 'local' as const, timeZone: 'Pacific/Auckland' };
  const dynamo = createMemoryDynamo();
  const table = { dynamo, table: 'conversations' };
  const [t1, t2] = [parseWorkspace('slack:T1'), parseWorkspace('slack:T2')];
  const policies = new BudgetPolicies({ ...table, now: () => 0 });
  await policies.change('ACCOUNT#slack#T1', (policy) => ({ ...policy, zone: 'Asia/Tokyo' }));
  expect(await findZone(t1, table, local)).toBe('Asia/Tokyo');
  expect(await findZone(t2, table, local)).toBe('Pacific/Auckland');
  expect(await findZone(undefined, table, local)).toBe('Pacific/Auckland');
  expect(await findZone(undefined, table, { ...local, timeZone: undefined })).toBe('UTC');
  const aws = await startFakeAws({ stacks: { Parley: {} }, parameters: { TimeZone: 'Pacific/Auckland' } });
  try {
    const deployment = {
      kind: 'deployment' as const,
      account: { credentials: CREDENTIALS, region: REGION, endpoint: aws.url },
      stack: 'Parley',
    };
    expect(await findZone(t2, table, deployment)).toBe('Pacific/Auckland');
  } finally {
    aws.close();
  }
});

test('the first day is the one of that time zone', () => {
  const now = Date.parse('2026-11-29T13:30:00Z');
  expect(findFirstDay(6 * DAY_MS, 'Pacific/Auckland', now)).toBe('2026-11-24');
  expect(findFirstDay(6 * DAY_MS, 'UTC', now)).toBe('2026-11-23');
  expect(findFirstDay('2026-11-01', 'UTC', now)).toBe('2026-11-01');
});

test.each([
  ['local', [], []],
  // 61 pages: a pause before each but the first.
  [
    'deployment',
    Array.from({ length: 60 }, () => 1_000),
    ['Read 30 MB of at most 500', 'Read 60 MB of at most 500'],
  ],
] as const)(
  'the scan of the table of a %s system leaves the bot its capacity',
  async (kind, pauses, told) => {
    const pausesMs: number[] = [];
    const reported: string[] = [];
    let pages = 0;
    const scan = async () => ((pages += 1) < 61 ? { LastEvaluatedKey: { pk: { S: String(pages) } } } : {});
    const result = await readAccounts(
      { dynamo: createMemoryDynamo(), scan, table: 'conversations' },
      { kind },
      { firstDay: '2026-11-01', workspace: undefined },
      { report: (line) => void reported.push(line) },
      async (ms) => void pausesMs.push(ms),
    );
    expect(result).toEqual({ accounts: [], isComplete: true });
    expect([pages, pausesMs]).toEqual([61, pauses]);
    expect(reported.map((line) => line.split(';')[0])).toEqual(told);
  },
);

describe('usage', () => {
  test.each([
    ['person', ['U2 4 3', 'U1 4 1.75']],
    ['model', ['edge 7 3.75', 'deep 1 1']],
    ['day', ['2026-11-01 5 3.25', '2026-11-02 3 1.5']],
    ['workspace', ['T1 8 4.75']],
    ['channel', []],
  ] as const)('by %s', (by, expected) => {
    expect(
      summarizeUsage(ACCOUNTS, by).map(({ id, requests, dollars }) => `${id} ${requests} ${dollars}`),
    ).toEqual(expected);
  });

  test('as a table has a total, and says which requests have no price', () => {
    const lines: string[] = [];
    const query = { by: 'person' as const, since: '2026-11-01', zone: 'Asia/Tokyo', isComplete: true };
    const options = { ...query, json: false, csv: false };
    printUsage(summarizeUsage(ACCOUNTS, 'person'), options, {
      print: (line) => void lines.push(line),
      width: 80,
    });
    expect(lines).toEqual([
      'Person  Platform  Workspace  Requests  Tokens in  Tokens out  Dollars',
      'U2      slack     T1                4      4,000          40    $3.00',
      'U1      slack     T1                4      4,000          40    $1.75',
      'Total                               8      8,000          80    $4.75',
      '\nDays since 2026-11-01 in Asia/Tokyo, or in the time zone that a workspace has set.',
      '2 requests have no known price, and are not part of the dollars.',
    ]);
  });

  test('as CSV quotes what needs it, and has no formulas', () => {
    const [line] = summarizeUsage(
      [account('person', '=cmd,"x"', '2026-11-01', { edge: spent(1, 1) })],
      'person',
    );
    expect(line && formatCsv([line])).toEqual([
      'id,platform,workspace,requests,promptTokens,cachedTokens,completionTokens,dollars,unpriced',
      '"\'=cmd,""x""",slack,T1,1,1000,0,10,1,0',
    ]);
  });
});
