import { describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { createDeploymentLogs } from '../../../../infra/parley/operator/read-logs.ts';

const requestSchema = v.looseObject({ logGroupName: v.string(), nextToken: v.optional(v.string()) });
const line = (at: number, event: string) =>
  JSON.stringify({ timestamp: new Date(at).toISOString(), level: 'info', event, trace: 't' });

/** CloudWatch Logs with two functions; `worker` has two pages, the first of which is empty. */
function fakeLogs() {
  const requests: unknown[] = [];
  const call = async (_service: string, target: string, input: object) => {
    if (target.endsWith('DescribeLogGroups'))
      return {
        logGroups: ['worker', 'slack-events', 'api'].map((name) => ({ logGroupName: `/Parley/${name}` })),
      };
    requests.push(input);
    const { logGroupName, nextToken } = v.parse(requestSchema, input);
    if (logGroupName.endsWith('slack-events'))
      return {
        events: [
          { timestamp: 5, message: `${line(5, 'slack.accepted')}\n` },
          { timestamp: 6, message: 'START' },
        ],
      };
    return nextToken === undefined
      ? { events: [], nextToken: 'more' }
      : {
          events: [
            { timestamp: 9, message: line(9, 'answer.ended') },
            { timestamp: 1, message: line(1, 'task.failed') },
          ],
        };
  };
  return { call, requests };
}

describe('the logs of a deployment', () => {
  test('are read from all functions and pages, oldest first, without lines that are no events', async () => {
    const { call } = fakeLogs();
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
    const { call, requests } = fakeLogs();
    const anyOf = [
      ['message', '1.5'],
      ['trace', 'a") || ($.x = "'],
    ] as const;
    await createDeploymentLogs(call, 'Parley', () => 0)({ fromMs: 3, untilMs: 10, anyOf });
    expect(requests[0]).toMatchObject({
      startTime: 3,
      endTime: 10,
      filterPattern: String.raw`{ ($.message = "1.5") || ($.trace = "a\") || ($.x = \"") }`,
    });
  });

  test('say that they are incomplete when the time is over', async () => {
    const { call } = fakeLogs();
    let time = 0;
    const now = () => (time += 25_000);
    const { isComplete } = await createDeploymentLogs(call, 'Parley', now)({ fromMs: 0, untilMs: 10 });
    expect(isComplete).toBe(false);
  });
});
