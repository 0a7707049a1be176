import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { appendFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import type { LogRecord } from '../../../../infra/dashboard/index.ts';
import { AwsCallError, type OperatorCall } from '../../../../infra/parley/operator/operator-call.ts';
import { followLogFiles, followSearch } from '../../../../infra/parley/tail/follow-logs.ts';
import { formatRecord } from '../../../../infra/parley/tail/format-record.ts';
import {
  createRecordFilter,
  type RecordFilter,
  toQuery,
} from '../../../../infra/parley/tail/record-filter.ts';
import { runTail, tolerateFailures } from '../../../../infra/parley/tail/tail-command.ts';
import { createDeploymentLogs } from '../../../../infra/parley/operator/read-logs.ts';
import { SILENT_TERMINAL } from '../../../../infra/parley/terminal.ts';
import { startFakeAws, withVariables, FAKE_ACCOUNT } from '../fake-aws.ts';
import { fakeCloudWatchLogs } from '../fake-cloudwatch-logs.ts';
import { logRecord, NOON } from '../../dashboard/data/records.ts';
import { scratch } from '../../local/sample-template.ts';

const line = (at: number, event: string, facts: object = {}) =>
  `${JSON.stringify({ timestamp: new Date(NOON + at).toISOString(), level: 'info', event, ...facts })}\n`;
const events = (records: readonly LogRecord[]) => records.map(({ source, event }) => `${source} ${event}`);

let folder: ReturnType<typeof scratch>;
let logs: string;
beforeEach(() => {
  folder = scratch();
  logs = join(folder.directory, 'logs');
  mkdirSync(logs);
});
afterEach(() => folder.remove());

describe('following log files', () => {
  test('begins at their ends, and has each complete line once, also of new and rotated files', async () => {
    const worker = join(logs, 'Worker.log');
    writeFileSync(worker, line(0, 'task.failed'));
    const follow = followLogFiles(logs, () => NOON);
    expect(await follow()).toEqual([]);
    appendFileSync(worker, line(2, 'answer.failed') + line(1, 'answer.ended').slice(0, 20));
    expect(events(await follow())).toEqual(['Worker answer.failed']);
    appendFileSync(worker, line(1, 'answer.ended').slice(20));
    writeFileSync(join(logs, 'Sweeper.log'), line(5, 'sweep.done'));
    expect(events(await follow())).toEqual(['Worker answer.ended', 'Sweeper sweep.done']);
    renameSync(worker, `${worker}.1`);
    writeFileSync(worker, line(9, 'task.given-up'));
    expect(events(await follow())).toEqual(['Worker task.given-up']);
    expect(await follow()).toEqual([]);
  });

  test('waits for the folder', async () => {
    expect(await followLogFiles(join(folder.directory, 'none'), () => NOON)()).toEqual([]);
  });
});

test('following a search includes late lines, and has each line once', async () => {
  const all = [logRecord(0, 'a'), logRecord(20_000, 'b')];
  let time = NOON + 21_000;
  const follow = followSearch(
    async ({ fromMs, untilMs }) => ({
      records: all.filter(({ at }) => at >= fromMs && at <= untilMs),
      isComplete: true,
    }),
    { fromMs: NOON },
    () => time,
  );
  expect((await follow()).map(({ event }) => event)).toEqual(['a', 'b']);
  all.push(logRecord(19_000, 'late'), logRecord(22_000, 'c'));
  time = NOON + 23_000;
  expect((await follow()).map(({ event }) => event)).toEqual(['late', 'c']);
  expect(await follow()).toEqual([]);
});

test('following outlives a network that is gone for a while, says so once, and then has the lines of that time', async () => {
  const reported: string[] = [];
  let isGone = false;
  let time = NOON + 1_000;
  const all = [logRecord(0, 'a')];
  const search = followSearch(
    async ({ fromMs, untilMs }) => {
      if (isGone) throw new AwsCallError('FilterLogEvents', 'the connection was broken off', 'Fix.', true);
      return { records: all.filter(({ at }) => at >= fromMs && at <= untilMs), isComplete: true };
    },
    { fromMs: NOON },
    () => time,
  );
  const follow = tolerateFailures(search, { report: (text) => void reported.push(text) });
  expect(events(await follow())).toEqual(['Worker a']);
  isGone = true;
  all.push(logRecord(100_000, 'missed'));
  time = NOON + 600_000;
  expect(await follow()).toEqual([]);
  expect(await follow()).toEqual([]);
  isGone = false;
  expect(events(await follow())).toEqual(['Worker missed']);
  expect(reported).toEqual([
    'FilterLogEvents failed (the connection was broken off). Fix. Trying again ...',
    'The logs can be read again.',
  ]);
});

test('following ends if the right to read the logs is missing', async () => {
  const missingRight = new AwsCallError('FilterLogEvents', 'AccessDeniedException', 'Fix.');
  const follow = tolerateFailures(() => Promise.reject(missingRight), { report: () => undefined });
  await expect(follow()).rejects.toBe(missingRight);
});

describe('the filter', () => {
  const all = [
    logRecord(0, 'slack.accepted', { root: '1.0', message: '1.0' }, 'a'),
    logRecord(1, 'answer.ended', {}, 'a'),
    logRecord(2, 'answer.ended', {}, 'b'),
    { ...logRecord(3, 'task.failed', { message: '1.0' }), level: 'warn' as const },
  ];
  test.each([
    ['a thread, with the lines of its traces', { message: '1.0' }, [0, 1, 3]],
    ['a level', { level: 'warn' as const }, [3]],
    ['an event', { event: 'answer.*' }, [1, 2]],
    ['an event whose dot is no pattern', { event: 'answer?ended' }, []],
  ])('passes lines of %s', (_, changes, expected) => {
    const isWanted = createRecordFilter({ message: undefined, level: 'info', event: undefined, ...changes });
    expect(all.flatMap((record, index) => (isWanted(record) ? [index] : []))).toEqual(expected);
  });
});

const pageSchema = v.object({ events: v.array(v.unknown()) });

describe('the lines that a search of CloudWatch has to read', () => {
  const crash = JSON.stringify({ level: 'ERROR', message: { errorType: 'TypeError', errorMessage: 'bad' } });
  const metrics = { durationMs: 9 };
  const timeout = JSON.stringify({ type: 'platform.report', record: { status: 'timeout', metrics } });
  const lines = [
    line(0, 'answer.ended', { level: 'info' }),
    line(0, 'answer.failed', { level: 'warn' }),
    line(0, 'task.failed', { level: 'error' }),
    crash,
    timeout,
    JSON.stringify({ type: 'platform.report', record: { status: 'success', metrics } }),
    line(0, 'slack.accepted', { level: 'info' }),
  ];
  const all = ['answer.ended', 'answer.failed', 'task.failed', 'function.crashed', 'function.failed'];
  const read = async (changes: Partial<RecordFilter>) => {
    const filter = { message: undefined, level: 'info' as const, event: undefined, ...changes };
    const logged = lines.map((text) => [NOON, text] as const);
    const { call, inputs } = fakeCloudWatchLogs({ '/Parley/worker': logged });
    const query = { fromMs: NOON, untilMs: NOON, anyOf: toQuery(filter) };
    let lineCount = 0;
    const counted: OperatorCall = async (...of) => {
      const page = await call(...of);
      if (v.is(pageSchema, page)) lineCount += page.events.length;
      return page;
    };
    const { records } = await createDeploymentLogs(counted, 'Parley', () => 0)(query);
    const wanted = records.filter(createRecordFilter(filter)).map(({ event }) => event);
    return { wanted, read: lineCount, isFiltered: JSON.stringify(inputs).includes('filterPattern') };
  };

  test.each([
    ['an event', { event: 'answer.ended' }, all.slice(0, 1), 1],
    ['events that begin alike', { event: 'answer.*' }, all.slice(0, 2), 2],
    ['events that end alike, also those of Lambda', { event: '*.failed' }, [...all.slice(1, 3), all[4]], 4],
    ['events with an asterisk in the middle', { event: 'answer*d' }, all.slice(0, 2), 2],
    ['what Lambda writes about a function', { event: 'function.crashed' }, all.slice(3, 4), 2],
    ['warnings and errors', { level: 'warn' as const }, all.slice(1), 4],
    ['errors', { level: 'error' as const }, all.slice(2), 3],
    ['errors of some events', { level: 'error' as const, event: 'answer.*' }, [], 2],
  ])('are fewer for %s', async (_, filter, wanted, count) => {
    expect(await read(filter)).toEqual({ wanted, read: count, isFiltered: true });
  });

  test.each([
    ['without a filter', {}, 7],
    ['for the end of an event that has no end', { event: '*.ac*' }, 7],
    ['for a thread, whose traces other lines name', { message: '1.0', event: 'answer.ended' }, 7],
  ])('are all %s', async (_, filter, count) => {
    expect(await read(filter)).toMatchObject({ read: count, isFiltered: false });
  });
});

test('of a deployment, only the lines of the wanted events are searched', async () => {
  const now = Date.now();
  const text = JSON.stringify({
    timestamp: new Date(now).toISOString(),
    level: 'info',
    event: 'answer.ended',
  });
  const { call, inputs } = fakeCloudWatchLogs({ '/Parley/worker': [[now, text]] });
  const aws = await startFakeAws({ stacks: { Parley: { TasksUrl: 'u' } }, logs: call });
  const printed: string[] = [];
  const terminal = {
    ...SILENT_TERMINAL,
    print: (one: string) => void printed.push(one),
    env: { ...FAKE_ACCOUNT, AWS_ENDPOINT_URL: aws.url },
  };
  const options = {
    stage: 'prod',
    data: '',
    level: 'info' as const,
    since: 60_000,
    follow: false,
    json: true,
  };
  try {
    await withVariables(FAKE_ACCOUNT, () =>
      runTail({ ...options, event: 'answer.*' }, terminal, new AbortController().signal),
    );
  } finally {
    aws.close();
  }
  expect(inputs).toMatchObject([{ filterPattern: '{ ($.event = "answer.*") }' }]);
  expect(printed).toHaveLength(1);
});

test('a line is readable, fits the terminal, and cannot control it', () => {
  const record = logRecord(306, 'task.failed', { error: 'Bad\u001B[31m\nname', failures: 2 });
  expect(formatRecord(record, { width: undefined, hasColors: false })).toBe(
    '12:00:00.306 info  Worker         task.failed              An attempt at the task failed. error=Bad name failures=2',
  );
  expect(formatRecord(record, { width: 40, hasColors: false })).toHaveLength(40);
});

test('a problem ends with its trace, which a narrow terminal does not cut', () => {
  const record = {
    ...logRecord(306, 'task.failed', { error: 'SlackApiError' }, 't-1'),
    level: 'warn' as const,
  };
  expect(formatRecord(record, { width: undefined, hasColors: false })).toMatch(
    /error=SlackApiError trace=t-1$/u,
  );
  const narrow = formatRecord(record, { width: 60, hasColors: false });
  expect(narrow).toMatch(/^12:00.*… trace=t-1$/u);
  expect(narrow).toHaveLength(60);
});

test('the command prints earlier lines, and without following ends', async () => {
  writeFileSync(
    join(logs, 'Worker.log'),
    `${JSON.stringify({ timestamp: new Date().toISOString(), level: 'info', event: 'answer.ended', trace: 't' })}\nplain words\n`,
  );
  const lines: string[] = [];
  const terminal = {
    print: (text: string) => void lines.push(text),
    report: () => undefined,
    hasColors: false,
    width: undefined,
    confirm: undefined,
    env: {},
  };
  const options = {
    data: folder.directory,
    level: 'info' as const,
    since: 60_000,
    follow: false,
    json: true,
  };
  expect(await runTail(options, terminal, new AbortController().signal)).toBe(0);
  expect(lines.map((text): unknown => JSON.parse(text))).toMatchObject([
    { source: 'Worker', event: 'answer.ended' },
  ]);
});
