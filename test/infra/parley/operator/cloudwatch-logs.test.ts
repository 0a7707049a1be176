import { describe, expect, test } from '@jest/globals';
import { AwsCallError } from '../../../../infra/parley/operator/operator-call.ts';
import { createDeploymentLogs, tellGaps } from '../../../../infra/parley/operator/read-logs.ts';
import { fakeCloudWatchLogs } from '../fake-cloudwatch-logs.ts';

const line = (at: number, event: string, facts: object = {}) =>
  JSON.stringify({ timestamp: new Date(at).toISOString(), level: 'info', event, trace: 't', ...facts });

/** Two functions and the access log of the API; the first page of `worker` has nothing that matches. */
const GROUPS: Parameters<typeof fakeCloudWatchLogs>[0] = {
  '/Parley/worker': [
    [2, 'INIT_START Runtime Version'],
    [9, line(9, 'answer.ended')],
    [4, line(4, 'task.failed', { message: '1.5' })],
  ],
  '/Parley/slack-events': [
    [5, `${line(5, 'slack.accepted')}\n`],
    [6, 'START'],
  ],
  '/Parley/api': [[7, '{"requestId":"x"}']],
  '/Parley-other/worker': [[8, line(8, 'answer.failed')]],
};

describe('the logs of a deployment', () => {
  test('are read from all functions and pages, oldest first, without lines that are no events', async () => {
    const { call } = fakeCloudWatchLogs(GROUPS);
    const { records, isComplete } = await createDeploymentLogs(
      call,
      'Parley',
      () => 0,
    )({ fromMs: 0, untilMs: 10 });
    expect(records.map(({ source, event }) => `${source} ${event}`)).toEqual([
      'worker task.failed',
      'slack-events slack.accepted',
      'worker answer.ended',
    ]);
    expect(isComplete).toBe(true);
  });

  test('are filtered by AWS, and a value cannot end the pattern', async () => {
    const { call, inputs } = fakeCloudWatchLogs(GROUPS);
    const anyOf = [
      ['message', '1.5'],
      ['trace', 'a") || ($.x = "'],
    ] as const;
    const { records } = await createDeploymentLogs(
      call,
      'Parley',
      () => 0,
    )({ fromMs: 3, untilMs: 10, anyOf });
    expect(records.map(({ event }) => event)).toEqual(['task.failed']);
    expect(inputs[0]).toMatchObject({
      startTime: 3,
      endTime: 10,
      filterPattern: String.raw`{ ($.message = "1.5") || ($.trace = "a\") || ($.x = \"") }`,
    });
  });

  test('are read again after the list of log groups failed, and from groups that a deployment added', async () => {
    const groups: Record<string, Parameters<typeof fakeCloudWatchLogs>[0][string]> = { ...GROUPS };
    const { call } = fakeCloudWatchLogs(groups);
    let time = 0;
    let isDown = true;
    const readLogs = createDeploymentLogs(
      async (...request) => {
        if (isDown) throw new AwsCallError('DescribeLogGroups', 'ExpiredToken', '');
        return call(...request);
      },
      'Parley',
      () => time,
    );
    const list = async () => (await readLogs({ fromMs: 0, untilMs: 20 })).records.map(({ source }) => source);
    await expect(list()).rejects.toThrow('ExpiredToken');
    isDown = false;
    expect(await list()).toEqual(['worker', 'slack-events', 'worker']);
    groups['/Parley/relay'] = [[11, line(11, 'gateway.ready')]];
    time += 5 * 60_000;
    expect(await list()).toContain('relay');
  });

  test('say that they are incomplete when the time is over', async () => {
    const { call } = fakeCloudWatchLogs(GROUPS);
    let time = 0;
    const now = () => (time += 25_000);
    const { isComplete } = await createDeploymentLogs(call, 'Parley', now)({ fromMs: 0, untilMs: 10 });
    expect(isComplete).toBe(false);
  });

  test('say once that they were not read completely', async () => {
    const reported: string[] = [];
    const pages = [true, false, false].map((isComplete) => ({ records: [], isComplete }));
    const read = tellGaps(async () => pages.shift() ?? { records: [], isComplete: true }, {
      report: (text) => void reported.push(text),
    });
    const query = { fromMs: 0, untilMs: 1 };
    await read(query);
    expect(reported).toEqual([]);
    await read(query);
    await read(query);
    expect(reported).toEqual([expect.stringContaining('Choose a shorter --since')]);
  });

  test('are searched in parts where one pattern would be longer than AWS takes', async () => {
    const { call, inputs } = fakeCloudWatchLogs(GROUPS);
    const anyOf = Array.from(
      { length: 40 },
      (_, index) => ['trace', `1-6b09be64-${String(index).padStart(24, '0')}`] as const,
    );
    await createDeploymentLogs(
      call,
      'Parley',
      () => 0,
    )({ fromMs: 0, untilMs: 10, anyOf: [...anyOf, ['trace', 't']] });
    expect(inputs.length).toBeGreaterThan(3);
  });
});
