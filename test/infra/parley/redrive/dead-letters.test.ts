import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { AwsCallError, type OperatorCall } from '../../../../infra/parley/operator/operator-call.ts';
import { fakeCloudWatchLogs } from '../fake-cloudwatch-logs.ts';
import { messageOf, startRedriveSystem } from './redrive-system.ts';

let fake: ReturnType<typeof startRedriveSystem>;
beforeEach(() => {
  fake = startRedriveSystem();
});
afterEach(() => fake.close());

describe('redrive', () => {
  test('keeps dead letters while a long search of the logs goes on, and puts them back', async () => {
    await fake.addDeadLetter('1.000000');
    const names = ['worker', 'large-worker', 'dead-letters', 'slack-events'];
    const { call: logs } = fakeCloudWatchLogs(
      Object.fromEntries(names.map((name) => [`/Parley/${name}`, []])),
    );
    let searches = 0;
    const slow: OperatorCall = async (...request) => {
      searches += 1;
      fake.advance(15_000);
      return logs(...request);
    };
    const { output, code } = await fake.run([], { all: true, yes: true }, { of: fake.deployed(slow) });
    expect(searches).toBeGreaterThan(120_000 / 15_000);
    expect([code, output]).toEqual([0, expect.stringContaining('1 task put back.')]);
    expect(fake.bodies('Tasks.fifo').map(messageOf)).toEqual(['1.000000']);
    expect(fake.queues.messages('Dead.fifo')).toEqual([]);
  });

  test('leaves out dead letters that were taken again while the person decided, and says so', async () => {
    await fake.addDeadLetter('1.000000');
    await fake.addDeadLetter('2.000000', 'other');
    const answer = (): boolean => {
      fake.advance(121_000);
      return true;
    };
    const { output, code } = await fake.run([], { all: true }, { answer });
    expect(code).toBe(1);
    expect(output).toContain(
      '0 tasks put back.\n2 dead letters not put back: "dead-letters" took them again',
    );
    expect([fake.queues.messages('Tasks.fifo').length, fake.queues.messages('Dead.fifo').length]).toEqual([
      0, 2,
    ]);
    // In time.
    expect((await fake.run([], { all: true }, { answer: true })).code).toBe(0);
    expect(fake.queues.messages('Tasks.fifo')).toHaveLength(2);
  });

  test('puts the others back if one cannot be deleted any more, because its time is over', async () => {
    await fake.addDeadLetter('1.000000');
    await fake.addDeadLetter('2.000000');
    let deletions = 0;
    const call: OperatorCall = async (service, target, input) => {
      if (target === 'AmazonSQS.DeleteMessage' && (deletions += 1) === 1)
        throw new AwsCallError('DeleteMessage', 'InvalidParameterValue', '');
      return fake.system.call(service, target, input);
    };
    const { code } = await fake.run([], { all: true, yes: true }, { of: { ...fake.system, call } });
    expect(code).toBe(0);
    expect(fake.bodies('Tasks.fifo').map(messageOf)).toEqual(['1.000000', '2.000000']);
    expect(fake.bodies('Dead.fifo').map(messageOf)).toEqual(['1.000000']);
  });

  test('says how many are back when AWS fails in between', async () => {
    await fake.addDeadLetter('1.000000');
    await fake.addDeadLetter('2.000000');
    let sent = 0;
    const call: OperatorCall = async (service, target, input) => {
      if (target === 'AmazonSQS.SendMessage' && (sent += 1) === 2)
        throw new AwsCallError('SendMessage', 'ServiceUnavailable', '', true);
      return fake.system.call(service, target, input);
    };
    const reported: string[] = [];
    await expect(
      fake.run([], { all: true, yes: true }, { of: { ...fake.system, call }, lines: reported }),
    ).rejects.toThrow('ServiceUnavailable');
    expect(reported.at(-1)).toBe('1 task put back.');
  });

  test('says how many dead letters SQS does not give: behind ten others of their thread', async () => {
    for (let index = 10; index < 22; index += 1) await fake.addDeadLetter(`${index}.000000`);
    const { output } = await fake.run([]);
    expect(output.split('dead letter: ask')).toHaveLength(11);
    expect(output).toContain('2 dead letters left out: SQS does not give them yet');
  });

  test('asks all servers of SQS: one that answers at once may have none of the messages', async () => {
    await fake.addDeadLetter('1.000000');
    const { call: logs } = fakeCloudWatchLogs({ '/Parley/worker': [] });
    const of = fake.deployed(logs, (input) =>
      Reflect.get(input, 'WaitTimeSeconds') === 0 ? { Messages: [] } : undefined,
    );
    expect((await fake.run([], {}, { of })).output).toContain('dead letter: ask');
  });
});
