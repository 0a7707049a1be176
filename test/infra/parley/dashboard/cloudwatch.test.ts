import { expect, test } from '@jest/globals';
import { readAlarms } from '../../../../infra/parley/dashboard/alarms.ts';
import { readMetrics } from '../../../../infra/parley/dashboard/metric-data.ts';
import { checkAlarms } from '../../../../infra/parley/doctor/checks/check-alarms.ts';
import { createOperatorCall } from '../../../../infra/parley/operator/operator-call.ts';
import { CREDENTIALS, QUIET_ALARM, REGION, startFakeAws } from '../fake-aws.ts';

const QUERY = { namespace: 'Parley', name: 'Dollars', statistic: 'Sum', periodMs: 60_000 };

test('requests to CloudWatch are signed, and in the protocol that it speaks', async () => {
  const monitoring = {
    MetricAlarms: [
      {
        AlarmName: 'Parley-slow',
        AlarmDescription: 'Slow. docs/runbook.md#slow',
        StateValue: 'INSUFFICIENT_DATA',
        StateUpdatedTimestamp: 1.5,
      },
      {
        AlarmName: 'Parley-release-fails-Worker',
        AlarmDescription: 'Rolled back. docs/runbook.md#release-fails',
        AlarmActions: ['arn:aws:sns:eu-central-1:1:a'],
        StateValue: 'ALARM',
        StateUpdatedTimestamp: 2,
      },
      {
        AlarmName: 'Parley-TaskServiceWorkersIdle1A2B3C4D-X',
        AlarmDescription: 'One is ended. docs/runbook.md#worker-scales',
        StateValue: 'ALARM',
        StateUpdatedTimestamp: 2,
      },
    ],
    MetricDataResults: [{ Id: 'm0', Timestamps: [60, 120], Values: [0.5, 2] }],
  };
  const aws = await startFakeAws({ monitoring });
  const account = { credentials: CREDENTIALS, region: REGION, endpoint: aws.url };
  const call = createOperatorCall(account, { unreachable: '' });
  expect(await readAlarms(call, 'Parley')).toEqual([
    expect.objectContaining({ name: 'release-fails-Worker', state: 'alarm', isNotifying: true }),
    {
      name: 'slow',
      meaning: 'Slow. docs/runbook.md#slow',
      state: 'no data',
      since: 1_500,
      isNotifying: false,
    },
  ]);
  const [points] = await readMetrics(call, [QUERY], { fromMs: 60_000, untilMs: 180_000 });
  expect(points).toEqual(
    new Map([
      [60_000, 0.5],
      [120_000, 2],
    ]),
  );
  aws.close();
});

test('metrics on several pages are joined', async () => {
  const inputs: object[] = [];
  const call = async (_service: string, _target: string, input: object) => {
    inputs.push(input);
    return inputs.length === 1
      ? { MetricDataResults: [{ Id: 'm0', Timestamps: [60], Values: [1] }], NextToken: 'next' }
      : { MetricDataResults: [{ Id: 'm0', Timestamps: [120], Values: [2] }] };
  };
  const [points] = await readMetrics(call, [QUERY], { fromMs: 0, untilMs: 180_000 });
  expect([...(points ?? [])]).toEqual([
    [60_000, 1],
    [120_000, 2],
  ]);
  expect(inputs).toEqual([
    expect.not.objectContaining({ NextToken: expect.anything() }),
    expect.objectContaining({ NextToken: 'next', StartTime: 0, EndTime: 180 }),
  ]);
});

test.each([
  ['that are quiet', {}, 'pass', 'notify a topic, and none is raised.'],
  ['that are raised', { StateValue: 'ALARM' }, 'warn', 'are raised: task-died.'],
  ['that notify nobody', { AlarmActions: [] }, 'warn', 'notify nobody.'],
  ['of another stage only', { AlarmName: 'Parley-test-task-died' }, 'warn', 'were not found.'],
  ['in an unknown state', { StateValue: 'NEW' }, 'warn', 'could not be read (an unexpected response).'],
])('the doctor reports alarms %s', async (_, change, result, finding) => {
  const MetricAlarms = [{ ...QUIET_ALARM, ...change }];
  expect(await checkAlarms(async () => ({ MetricAlarms }), 'Parley')).toEqual([
    expect.objectContaining({ name: 'Alarms', result, finding }),
  ]);
});
