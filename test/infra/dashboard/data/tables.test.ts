import { describe, expect, test } from '@jest/globals';
import { toFeedbackRows, toJobRows } from '../../../../infra/dashboard/data/jobs.ts';
import { isProblem, toErrorRows } from '../../../../infra/dashboard/data/problems.ts';
import { toToolRows } from '../../../../infra/dashboard/data/tool-calls.ts';
import { toUsage } from '../../../../infra/dashboard/data/usage.ts';
import { workspaceId } from '../../../../shared/domain/index.ts';
import type { DailyAccount } from '../../../../shared/storage/index.ts';
import { logRecord, NOON } from './records.ts';

describe('problems', () => {
  test.each([
    ['task.failed', 'info', true],
    ['upstream.limited', 'info', true],
    ['rate-limits.table-unavailable', 'info', true],
    ['gateway.save-failed', 'debug', true],
    ['person-index.waiting', 'warn', true],
    ['voice.transcription-stopped', 'info', false],
    ['answer.ended', 'info', false],
    ['task.deleted', 'info', false],
  ] as const)('%s at level %s: %p', (event, level, expected) => {
    expect(isProblem({ event, level })).toBe(expected);
  });

  test('that are equal are one row with their number, their last time and an example', () => {
    const facts = { reason: 'server', status: 503, requestId: 'r1' };
    const records = [
      logRecord(-1, 'answer.failed', facts, 'before'),
      logRecord(1, 'answer.failed', facts, 'a'),
      logRecord(5, 'answer.failed', { ...facts, requestId: 'r2' }, 'b'),
      logRecord(3, 'answer.failed', { reason: 'quota' }, 'c'),
      logRecord(9, 'answer.ended'),
    ];
    expect(toErrorRows(records, NOON)).toEqual([
      {
        event: 'answer.failed',
        source: 'Worker',
        level: 'info',
        message: 'reason server, status 503',
        count: 2,
        lastAt: NOON + 5,
        trace: 'b',
      },
      expect.objectContaining({ message: 'reason quota', count: 1, trace: 'c' }),
    ]);
  });
});

test('a job has a row from its request to its end', () => {
  const records = [
    logRecord(0, 'video.job-requested', { job: 'j1' }),
    logRecord(10, 'video.job-requested', { job: 'j2' }),
    logRecord(50, 'video.job-ended', { job: 'j1', state: 'delivered' }),
    logRecord(70, 'voice.transcription-completed', { ms: 20, partial: true }),
    logRecord(80, 'erasure.completed', { scope: 'person' }),
  ];
  expect(toJobRows(records, NOON).map(({ id: _id, ...row }) => row)).toEqual([
    { kind: 'erasure', state: 'done', startedAt: undefined, endedAt: NOON + 80 },
    { kind: 'transcription', state: 'partly done', startedAt: NOON + 50, endedAt: NOON + 70 },
    { kind: 'video or picture', state: 'delivered', startedAt: NOON, endedAt: NOON + 50 },
    { kind: 'video or picture', state: 'running', startedAt: NOON + 10, endedAt: undefined },
  ]);
  expect(toJobRows(records, NOON + 75)).toHaveLength(1);
});

const rate = (at: number, model: string, kind: string) => logRecord(at, 'feedback.given', { model, kind });

test('ratings are counted by model', () => {
  const records = [rate(-1, 'a', 'good'), rate(1, 'a', 'bad'), rate(2, 'b', 'good'), rate(3, 'b', 'good')];
  expect(toFeedbackRows(records, NOON)).toEqual([
    { model: 'b', good: 2, bad: 0 },
    { model: 'a', good: 0, bad: 1 },
  ]);
});

/** An account of a day with two requests. */
const account = (
  scope: DailyAccount['scope'],
  id: string,
  atto: bigint,
  more: Partial<DailyAccount> = {},
): DailyAccount => ({
  platform: 'slack',
  workspace: workspaceId('T1'),
  day: '2026-11-23',
  scope,
  id,
  counters: {
    account: '',
    atto,
    requests: 2,
    questions: 0,
    failures: 0,
    models: { edge: { requests: 2, prompt: 10, cached: 5, completion: 3, atto, unknown: 1, estimated: 0 } },
  },
  ...more,
});

describe('usage', () => {
  const DOLLAR = 10n ** 18n;

  test('adds up the days of a person, and puts those who cost most first', () => {
    const accounts = [
      account('person', 'U1', DOLLAR),
      account('person', 'U2', 5n * DOLLAR),
      account('person', 'U1', DOLLAR / 2n, { day: '2026-11-22' }),
      account('channel', 'C1', DOLLAR),
      account('workspace', 'all', 7n * DOLLAR),
    ];
    const usage = toUsage(accounts, '2026-11-22', (_platform, _scope, id) =>
      id === 'U1' ? 'Ada' : undefined,
    );
    expect(usage.firstDay).toBe('2026-11-22');
    expect(usage.people).toEqual([
      { id: 'U2', name: undefined, platform: 'slack', requests: 2, tokens: 13, dollars: 5, unpriced: 1 },
      { id: 'U1', name: 'Ada', platform: 'slack', requests: 4, tokens: 26, dollars: 1.5, unpriced: 2 },
    ]);
    expect(usage.channels.map(({ id, dollars }) => [id, dollars])).toEqual([['C1', 1]]);
    expect(usage.models.map(({ id, dollars }) => [id, dollars])).toEqual([['edge', 7]]);
  });

  test('keeps equal ids of two workspaces apart', () => {
    const accounts = [
      account('person', 'U1', DOLLAR),
      account('person', 'U1', DOLLAR, { workspace: workspaceId('T2') }),
    ];
    expect(toUsage(accounts, '2026-11-23', () => undefined).people).toHaveLength(2);
  });
});

const call = (at: number, facts: object) => logRecord(at, 'tool.called', { ...facts });

test('the calls of a tool are counted, with those that failed or only showed a card, and their times', () => {
  const records = [
    call(-1, { name: 'search', tool: 'web_search', ms: 1, outcome: 'done' }),
    call(1, { name: 'search', tool: 'web_search', ms: 100, outcome: 'done' }),
    call(2, { name: 'search', tool: 'web_search', ms: 900, outcome: 'failed' }),
    call(3, { name: 'jira', tool: 'create', ms: 5, outcome: 'proposed' }),
    call(4, { name: 'jira', tool: 'create', ms: 40, outcome: 'done' }),
  ];
  expect(toToolRows(records, NOON)).toEqual([
    { source: 'search', tool: 'web_search', calls: 2, failed: 1, proposed: 0, ms: { p50: 100, p95: 900 } },
    { source: 'jira', tool: 'create', calls: 1, failed: 0, proposed: 1, ms: { p50: 40, p95: 40 } },
  ]);
});
