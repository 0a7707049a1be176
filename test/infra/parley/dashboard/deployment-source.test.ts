import { expect, test } from '@jest/globals';
import { createDeploymentSource } from '../../../../infra/parley/dashboard/deployment-source.ts';
import { AwsCallError } from '../../../../infra/parley/operator/operator-call.ts';
import { fakeDeployment, MINUTE, NOON } from './fake-deployment.ts';

const HOUR = 60 * MINUTE;
const ended = (facts: object = {}) => ({
  event: 'answer.ended',
  kind: 'answered',
  AnswerTime: 900,
  ...facts,
});

test('shows metrics, logs, queues, alarms, limits and accounts of a deployment', async () => {
  const { options } = fakeDeployment({
    lines: [
      [NOON - 50 * MINUTE, ended({ kind: 'failed', reason: 'server' })],
      [NOON - 5 * MINUTE, ended({ model: 'edge' })],
      [NOON - MINUTE, { event: 'feedback.given', kind: 'good', model: 'edge' }],
    ],
    metrics: {
      'FirstWord p95': 700,
      'FirstWord p95 total': 800,
      'AnswerTime SampleCount': 12,
      'PromptTokens Sum': 1_000,
      'CompletionTokens Sum': 50,
      'Dollars Sum': 0.25,
      'RateLimited slack': 2,
      'RateLimited upstream': 3,
      'ApproximateNumberOfMessagesVisible Parley-Tasks.fifo': 9,
      'ApproximateAgeOfOldestMessage Parley-Tasks.fifo': 95,
    },
    alarms: [
      {
        AlarmName: 'Parley-slow',
        AlarmDescription: 'Slow. What to do: docs/runbook.md#slow',
        AlarmActions: ['arn:aws:sns:eu-central-1:1:alarms'],
        StateValue: 'OK',
        StateUpdatedTimestamp: NOON / 1_000,
      },
      {
        AlarmName: 'Parley-dead',
        AlarmDescription: 'Dead. What to do: docs/runbook.md#dead',
        StateValue: 'ALARM',
        StateUpdatedTimestamp: NOON / 1_000,
      },
      {
        AlarmName: 'Parley-test-dead',
        AlarmDescription: 'Another stage. What to do: docs/runbook.md#dead',
        StateValue: 'ALARM',
        StateUpdatedTimestamp: NOON / 1_000,
      },
    ],
    items: [
      {
        pk: { S: 'ACCOUNT#slack#T1' },
        sk: { S: 'D#2026-11-23#person#U1' },
        models: { M: {} },
      },
    ],
  });
  const data = await createDeploymentSource(options).read(HOUR);
  expect(data).toMatchObject({
    system: 'Parley in eu-central-1',
    refreshMs: 30_000,
    stepMs: MINUTE,
    totals: { answers: 12, failed: 1, waiting: 4, firstWord: { p95: 800 }, tokens: 1_050, dollars: 0.25 },
    queues: [{ name: 'Tasks', waiting: 3, inFlight: 1, oldestMs: 95_000 }],
    unread: [],
    alarms: [
      { name: 'dead', state: 'alarm' },
      { name: 'slow', state: 'ok' },
    ],
    feedback: [{ model: 'edge', good: 1, bad: 0 }],
    usage: { people: [{ id: 'U1' }] },
    notes: ['Alarms are raised: dead. What to do: docs/runbook.md#dead'],
  });
  expect(data.steps).toHaveLength(60);
  expect(data.steps[0]).toMatchObject({ answers: 12, firstWord: { p95: 700 }, limited: 5 });
  expect(data.queueHistory).toEqual([{ at: data.fromMs, waiting: { Tasks: 9 } }]);
  expect(data.messages.map(({ state }) => state)).toEqual(['answered', 'failed']);
  const trace = data.messages[0]?.trace ?? '';
  const source = createDeploymentSource(options);
  await source.read(HOUR);
  expect(await source.findMessage(trace)).toMatchObject({ row: { model: 'edge' } });
  expect(await source.findMessage('unknown')).toBeUndefined();
});

test('a page that is open asks AWS for little: what docs/dashboard.md says', async () => {
  const { options, calls, count, advance } = fakeDeployment({ pages: 100 });
  const source = createDeploymentSource(options);
  await Promise.all([source.read(HOUR), source.read(HOUR)]);
  const queries = calls.flatMap(({ input }): unknown[] =>
    'MetricDataQueries' in input && Array.isArray(input.MetricDataQueries) ? input.MetricDataQueries : [],
  );
  // 20 metrics, and 3 for each queue: 29 with the three queues of a deployment.
  expect(queries).toHaveLength(23);
  // Ten pages of accounts and one of the limits; three searches go back 15, 15 and 30 minutes.
  expect({ scans: count('Scan'), searches: count('FilterLogEvents') }).toEqual({ scans: 11, searches: 3 });
  const before = calls.length;
  advance(1_000);
  await source.read(HOUR);
  expect(calls).toHaveLength(before);
  advance(MINUTE);
  await source.read(HOUR);
  expect({
    scans: count('Scan'),
    searches: count('FilterLogEvents'),
    metrics: count('GetMetricData'),
  }).toEqual({ scans: 12, searches: 4, metrics: 2 });
});

test('named workspaces are queried, and the table is not scanned', async () => {
  const { options, count } = fakeDeployment({
    options: { workspaces: [{ platform: 'slack', workspace: 'T1' }] },
  });
  await createDeploymentSource(options).read(HOUR);
  // The scan is that of the rate limits.
  expect({ queries: count('Query'), scans: count('Scan') }).toEqual({ queries: 1, scans: 1 });
});

test.each([
  ['FilterLogEvents', 'Messages, errors, jobs, feedback: '],
  ['GetMetricData', 'Times, tokens and dollars over time: '],
  ['GetQueueAttributes', 'Queues: '],
  ['DescribeAlarms', 'Alarms: '],
])('without the right for %s a sentence says so, and the rest is shown', async (denied, title) => {
  const fail = (operation: string): void => {
    if (operation === denied)
      throw new AwsCallError(operation, 'AccessDeniedException', 'The credentials lack it.');
  };
  const { options, reported } = fakeDeployment({
    fail,
    lines: [[NOON - MINUTE, ended()]],
    metrics: { 'AnswerTime SampleCount': 1 },
  });
  const data = await createDeploymentSource(options).read(HOUR);
  expect(data.notes).toEqual([`${title}${denied} failed (AccessDeniedException). The credentials lack it.`]);
  expect(data.totals.answers).toBe(1);
  expect(reported).toEqual([]);
});

const failAlarms = (operation: string): void => {
  if (operation === 'DescribeAlarms') throw new TypeError('secret detail');
};

test('an unexpected response is reported in the terminal only', async () => {
  const { options, reported } = fakeDeployment({ fail: failAlarms });
  const data = await createDeploymentSource(options).read(HOUR);
  expect(JSON.stringify(data)).not.toContain('secret detail');
  expect(data.notes).toEqual([expect.stringContaining('Alarms: AWS sent an unexpected response')]);
  expect(reported).toHaveLength(1);
});

test('what takes long does not hold up the rest, and follows soon', async () => {
  const { options } = fakeDeployment({ lines: [[NOON - MINUTE, ended()]] });
  const slow = createDeploymentSource({
    ...options,
    call: (service, target, input) =>
      target.endsWith('GetMetricData') ? new Promise(() => {}) : options.call(service, target, input),
    wait: () => new Promise((resolve) => void setImmediate(() => setImmediate(() => setImmediate(resolve)))),
  });
  await slow.read(HOUR);
  const data = await slow.read(HOUR);
  expect(data).toMatchObject({ refreshMs: 2_000, totals: { answers: 1 } });
  expect(data.notes).toContain('Times, tokens and dollars over time: being read.');
});

test('a deployment without accounts, and of an older version, says what is missing', async () => {
  const { options, count } = fakeDeployment({
    options: { hasAccounts: false, system: { name: 'Parley', stack: 'Parley', outputs: {} } },
  });
  const data = await createDeploymentSource(options).read(HOUR);
  expect(data.notes).toEqual([
    expect.stringContaining('Rate limits: The deployment is of an older version'),
    expect.stringContaining('Set ACCOUNTS=on'),
  ]);
  expect(data.unread).toEqual(['limits']);
  expect(count('Scan')).toBe(0);
});
