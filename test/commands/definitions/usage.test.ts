import { describe, expect, test } from '@jest/globals';
import { ATTO_PER_DOLLAR, EMPTY_POLICY } from '../../../shared/billing/budgets/index.ts';
import { channelId, type Interaction, workspaceId } from '../../../shared/domain/index.ts';
import { COMMANDS } from '../../../shared/commands/command-list.ts';
import { parseCommand } from '../../../shared/commands/arguments/parse-arguments.ts';
import { applyPolicyChange, parseAmount } from '../../../shared/billing/edit-budget-policy.ts';
import type { BudgetService } from '../../../shared/billing/budget-service.ts';
import { drawBar, usageCard, usageCsv } from '../../../shared/billing/usage-report.ts';
import { LOCALES } from '../../../shared/i18n/index.ts';
import { formatDollars } from '../../../shared/utils/index.ts';
import { spendingIn } from '../../fakes/spending.ts';
import { fakeInteraction, commandHarness, typedCommand } from '../command-harness.ts';

const command = (text: string) => fakeInteraction(typedCommand(text));

const counters = (atto: bigint, unknown = 0, estimated = 0) => ({
  account: 'D#2026-11-21#person#U1',
  atto,
  requests: 2,
  questions: 0,
  failures: 0,
  models: { 'model-a': { requests: 2, prompt: 1000, cached: 200, completion: 50, atto, unknown, estimated } },
});

/** Every day has 8,000 accounts. */
const listAccounts: BudgetService['listAccounts'] = (_, date) =>
  Promise.resolve(
    Array.from({ length: 8_000 }, (__, n) => ({ ...counters(1n), account: `D#${date}#person#U${n}` })),
  );

describe('usage', () => {
  test('shows a bar per day and a line per model; an unknown cost is not shown as zero', () => {
    const days = [
      { date: '2026-11-20', counters: counters(ATTO_PER_DOLLAR) },
      // Its budget was reset after the requests.
      { date: '2026-11-21', counters: { ...counters(2n * ATTO_PER_DOLLAR), atto: 0n, requests: 0 } },
      { date: '2026-11-22', counters: counters(0n, 2) },
    ];
    const text = JSON.stringify(usageCard({ scope: 'person', zone: 'UTC', days, budgets: [] }, 'en').parts);
    expect(text).toContain('20 Nov ██████░░░░░░ $1.00 2 requests');
    expect(text).toContain('21 Nov ████████████ $2.00 2 requests');
    expect(text).toContain('22 Nov ░░░░░░░░░░░░ cost unknown 2 requests');
    expect(text).toContain('`model-a` $3.00 and 2 requests of unknown cost · 6 requests, 3,000 tokens in');
    expect([drawBar(0), drawBar(0.0001), drawBar(7)]).toEqual([
      '░'.repeat(12),
      `█${'░'.repeat(11)}`,
      '█'.repeat(12),
    ]);
  });

  test.each([
    ['en', ['30 Sept █', '01 Oct  █']],
    ['de', ['30. Sept. █', '01. Okt.  █']],
    ['ja', ['9月30日  █', '10月01日 █']],
  ] as const)('the days of the chart are dates of the language, of one width: %s', (locale, expected) => {
    const days = ['2026-09-30', '2026-10-01'].map((date) => ({ date, counters: counters(ATTO_PER_DOLLAR) }));
    const text = JSON.stringify(usageCard({ scope: 'person', zone: 'UTC', days, budgets: [] }, locale).parts);
    for (const line of expected) expect(text).toContain(line);
  });

  test('says for how many requests the server reported no usage', () => {
    const days = [{ date: '2026-11-20', counters: counters(ATTO_PER_DOLLAR, 0, 1) }];
    const text = JSON.stringify(usageCard({ scope: 'person', zone: 'UTC', days, budgets: [] }, 'en').parts);
    expect(text).toContain('1 of them estimated: the server reported no usage');
  });

  test('as CSV has exact amounts and no formula', () => {
    const odd = {
      ...counters(123_456_789n),
      models: { '=cmd,"x"': counters(123_456_789n).models['model-a'] },
    };
    expect(usageCsv([odd]).split('\n')[1]).toBe(
      `2026-11-21,person#U1,"'=cmd,""x""",2,1000,200,50,0.000000000123456789,0,0`,
    );
  });

  test('is shown to the caller; that of the workspace only to admins', async () => {
    const { call, stage } = commandHarness({ budgets: spendingIn() });
    await call(command('usage'));
    await call(command('usage of:workspace'));
    expect(JSON.stringify(stage)).toContain('Nothing was spent in this time.');
    expect(JSON.stringify(stage)).toContain('Only admins can');
  });

  test('has the days of the time zone of the workspace, and says so', async () => {
    const spending = spendingIn();
    const thread = { platform: 'slack', workspace: workspaceId('T1'), channel: channelId('C1') } as const;
    // At midnight UTC, it is the day before in Los Angeles.
    const zone = 'America/Los_Angeles';
    await spending.changePolicy(thread, () => ({ ...EMPTY_POLICY, zone }));
    const fixed = { id: 'video-1', thread, person: 'U1', atto: ATTO_PER_DOLLAR, maxMs: 1_000 };
    const accounts = await spending.reserveFixedPrice(fixed);
    await spending.settleFixedPrice(accounts, fixed, { model: 'model-v', priced: true });
    const { call, stage } = commandHarness({ budgets: spending });
    await call(command('usage days:1'));
    expect(JSON.stringify(stage.answers)).toContain('31 Dec ████████████ $1.00');
    expect(JSON.stringify(stage.answers)).toContain(`Days begin at midnight in ${zone}.`);
    stage.answers.length = 0;
    await call({ ...command('usage days:1 csv:yes'), id: 'csv' });
    expect(stage.handed[0]?.text).toContain('2025-12-31,person#U1,model-v,1,');
    expect(JSON.stringify(stage)).toContain(`Days begin at midnight in ${zone}.`);
  });

  test('is sent as a private file; for the workspace with all accounts', async () => {
    const spending = spendingIn();
    const thread = { platform: 'slack', workspace: workspaceId('T1'), channel: channelId('C1') } as const;
    for (const person of ['U1', 'U2']) {
      const fixed = { id: `video-${person}`, thread, person, atto: ATTO_PER_DOLLAR, maxMs: 1_000 };
      await spending.settleFixedPrice(await spending.reserveFixedPrice(fixed), fixed, {
        model: 'model-v',
        priced: true,
      });
    }
    const { call, stage } = commandHarness({ budgets: spending });
    await call(command('usage csv:yes'));
    const all = command('usage of:workspace csv:yes days:2');
    await call({ ...all, id: 'all', by: { ...all.by, admin: true } });
    const [mine = '', whole = ''] = stage.handed.map(({ text }) => text);
    expect(stage.handed[0]?.file).toMatchObject({
      name: expect.stringMatching(/^usage-.*\.csv$/u),
      mimetype: 'text/csv',
    });
    expect(mine.trim().split('\n').slice(1)).toEqual(['2026-01-01,person#U1,model-v,1,0,0,0,1,0,0']);
    expect(
      whole
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => line.split(',')[1]),
    ).toEqual(['channel#C1', 'person#U1', 'person#U2', 'workspace#all']);
    expect(JSON.stringify(stage.answers)).toContain('Only you see the table');
  });

  test('of a large workspace has the last days that fit into the file, and says so', async () => {
    const { call, stage } = commandHarness({ budgets: Object.assign(spendingIn(), { listAccounts }) });
    const all = command('usage of:workspace csv:yes days:7');
    await call({ ...all, by: { ...all.by, admin: true } });
    const lines = stage.handed[0]?.text.trim().split('\n').slice(1) ?? [];
    expect(lines).toHaveLength(16_000);
    expect([lines[0]?.slice(0, 10), lines.at(-1)?.slice(0, 10)]).toEqual(['2025-12-31', '2026-01-01']);
    expect(JSON.stringify(stage)).toContain('from 2025-12-31 to 2026-01-01');
    expect(JSON.stringify(stage)).toContain('Earlier days did not fit into it.');
  });

  test('says if the deployment records no usage', async () => {
    const { call, stage } = commandHarness();
    await call(command('usage'));
    expect(JSON.stringify(stage)).toContain('Usage is not recorded here.');
  });
});

/** How budgets are set, as it is shown. */
const examples = async (more: Partial<Interaction>) => {
  const { call, stage } = commandHarness({ budgets: spendingIn() });
  const by = { ...command('').by, admin: true, locale: 'de' };
  await call({ ...command('quota'), by, ...more });
  return JSON.stringify(stage).match(/(?<=`)\/[^`]+/gu) ?? [];
};

describe('quota', () => {
  const now = Date.parse('2026-11-21T12:00:00Z');

  test('parses amounts as people type them', () => {
    const read = ['$5/day', '200/week', '$2 today', '+$2', '$0.5 / month', 'lots', '1.5/day', '$1/year'].map(
      parseAmount,
    );
    for (const dollars of [2.5, 1_234.5, 12_345_678.5]) {
      const asShown = LOCALES.map((locale) => parseAmount(`${formatDollars(dollars, locale)}/week`));
      expect(new Set(asShown.map((one) => one?.atto))).toEqual(
        new Set([(BigInt(dollars * 2) * ATTO_PER_DOLLAR) / 2n]),
      );
    }
    const unclear = [
      '$1,000',
      '1.000 $',
      '12.500 $/month',
      '2.50,5 $',
      '1,234,50 $',
      '1.234,567.50 $',
      '5 €',
      '$',
    ];
    expect(unclear.map(parseAmount)).toEqual(unclear.map(() => undefined));
    expect(parseAmount('1,000/week')).toEqual({ period: 'week', requests: 1_000 });
    expect(parseAmount('$0.005')?.atto).toBe(ATTO_PER_DOLLAR / 200n);
    expect(read).toEqual([
      { period: 'day', atto: 5n * ATTO_PER_DOLLAR },
      { period: 'week', requests: 200 },
      { period: 'day', atto: 2n * ATTO_PER_DOLLAR },
      { period: 'day', atto: 2n * ATTO_PER_DOLLAR },
      { period: 'month', atto: ATTO_PER_DOLLAR / 2n },
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('sets money and requests of a budget, grants amounts for today, and blocks people', () => {
    const wishes = [
      { kind: 'set', scope: 'person', amount: '$5/day' },
      { kind: 'set', scope: 'person', amount: '20/day' },
      { kind: 'grant', scope: 'person', of: 'U1', amount: '$2', id: 'command-1' },
      // The command was delivered again.
      { kind: 'grant', scope: 'person', of: 'U1', amount: '$2', id: 'command-1' },
      { kind: 'block', who: 'U9' },
      { kind: 'zone', zone: 'Europe/Berlin' },
    ] as const;
    const book = wishes.reduce(
      (old, change) => applyPolicyChange(old, change, now, 'UTC') ?? old,
      EMPTY_POLICY,
    );
    expect(book).toEqual({
      zone: 'Europe/Berlin',
      rules: [{ scope: 'person', period: 'day', atto: 5n * ATTO_PER_DOLLAR, requests: 20 }],
      grants: [
        {
          scope: 'person',
          of: 'U1',
          day: 'D#2026-11-21',
          atto: 2n * ATTO_PER_DOLLAR,
          requests: 0,
          id: 'command-1',
        },
      ],
      blocked: ['U9'],
    });
    expect(applyPolicyChange(book, { kind: 'zone', zone: 'Mars/Base' }, now, 'UTC')).toBeUndefined();
    expect(applyPolicyChange(book, { kind: 'drop', scope: 'person' }, now, 'UTC')?.rules).toEqual([]);
  });

  test('shows what was granted beyond the budgets, as long as it counts', async () => {
    const spending = spendingIn();
    const { call, stage, time } = commandHarness({ budgets: spending });
    const by = { ...command('').by, admin: true };
    const type = async (text: string, id: string) => {
      await call({ ...command(text), id, by });
      return JSON.stringify(stage.answers.at(-1)?.card);
    };
    await type('quota set person $5/day', '1');
    await type('quota set person $9/week', '2');
    await type('quota grant person $2 who:U2', '3');
    const card = await type('quota grant person $1 who:U2', '4');
    expect(card).toContain('- Budget of each person per day <@U2>: + $3.00');
    expect(card).toContain('- Budget of each person per week <@U2>: + $3.00');
    time.advance(86_400_000);
    const nextDay = await type('quota', '5');
    expect(nextDay).not.toContain('per day <@U2>');
    expect(nextDay).toContain('- Budget of each person per week <@U2>: + $3.00');
  });

  test('is only for admins', async () => {
    const spending = spendingIn();
    const { call, stage } = commandHarness({ budgets: spending });
    await call(command('quota set person $5/day'));
    expect(JSON.stringify(stage)).toContain('Only admins can');
    const plain = command('quota set person $5/day');
    await call({ ...plain, id: 'again', by: { ...plain.by, admin: true } });
    expect(JSON.stringify(stage)).toContain('Budget of each person per day: $5.00');
  });

  test('shows its usage: in Slack as typed, in Discord with localized names', async () => {
    const inSlack = await examples({});
    expect(inSlack).toHaveLength(5);
    for (const one of inSlack) {
      const parsed = parseCommand(typedCommand(one.replace('/parley ', '')), 'slack', COMMANDS);
      expect([one, parsed.kind]).toEqual([one, 'command']);
    }
    const call = { kind: 'command' as const, name: 'quota', options: {}, attachments: [] };
    expect(await examples({ platform: 'discord', payload: call })).toContain(
      '/budget aktion:Budget setzen für:Person betrag:$5/day',
    );
  });
});

describe('an invalid change of budgets is explained', () => {
  const by = { ...command('').by, admin: true };
  const rows = [
    ['quota set person nonsense', '“nonsense” is not an amount. For example: $5/day, 200/week, $2."'],
    ['quota grant $0', '“$0” is not an amount'],
    ['quota grant $2', 'There is no such budget'],
    ['quota zone Mars/Olympus', '“Mars/Olympus” is not a time zone. For example: Europe/Berlin."'],
    ['quota drop for:workspace', 'There is no such budget'],
    ['quota unblock who:U2', '<@U2> is not blocked'],
    ['quota set', 'amount: missing'],
    ['quota block', 'who: missing'],
    ['quota block who:U2 amount:$5', '`amount` needs `do:set`, `do:grant`, or `do:zone`'],
    ['quota set $5 for:workspace who:U2', '`who` needs `for:person`'],
    ['quota set $5 here:yes who:U2', '`who` cannot be combined with `here`'],
    ['quota set $5 for:person here:yes', '`here` needs `for:channel`'],
  ] as const;
  test.each(rows)('%s', async (text, expected) => {
    const { call, stage } = commandHarness({ budgets: spendingIn() });
    await call({ ...command(text), by });
    expect(stage.answers).toHaveLength(1);
    expect(stage.answers[0]?.card.tone).toBe('bad');
    expect(JSON.stringify(stage.answers[0]?.card)).toContain(expected);
  });
});
