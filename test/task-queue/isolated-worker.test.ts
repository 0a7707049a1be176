import { expect, test } from '@jest/globals';
import type { TaskHandler } from '../../shared/task-queue/index.ts';
import { DONE, message, queueHarness, unreachable } from './queue-harness.ts';

test('a task that may have crashed is run, and its message deleted', async () => {
  const { alone, calls } = queueHarness();
  expect(await alone(message('a', 'one', 2), async () => DONE)).toBe(false);
  expect(calls.at(-1)).toBe('delete receipt-one');
});

test('a task that crashed three processes over a minute and a half goes to the dead letters without another attempt', async () => {
  const { alone, crash, calls, clock } = queueHarness();
  // The first process had it together with others.
  for (const receives of [2, 3]) await crash(message('a', 'one', receives));
  clock.now += 90_000;
  expect(await alone(message('a', 'one', 4), () => Promise.reject(new Error('begun')))).toBe(false);
  expect(calls).toContain('dead-letter one');
});

test('a task whose processes crashed several times within a minute is started again, because it may not be the cause', async () => {
  const { alone, crash, calls, clock } = queueHarness();
  for (const receives of [2, 3, 4, 5, 6]) {
    await crash(message('a', 'one', receives));
    clock.now += 12_000;
  }
  expect(await alone(message('a', 'one', 7), async () => DONE)).toBe(false);
  expect(calls.at(-1)).toBe('delete receipt-one');
});

test('receives without a crash, such as throttled invocations, do not exhaust a task', async () => {
  const { alone } = queueHarness();
  const startedTasks: string[] = [];
  await alone(message('a', 'one', 50), async (body) => {
    startedTasks.push(body);
    return DONE;
  });
  expect(startedTasks).toEqual(['one']);
});

test('an attempt that ended without success is not a crash', async () => {
  const { alone, attempts } = queueHarness();
  for (let receives = 2; receives <= 6; receives += 1) {
    const waiting = alone(message('a', 'one', receives), async () => ({ kind: 'later', afterMs: 1_000 }));
    expect(await waiting).toBe(true);
  }
  expect(await attempts.read(message('a', 'one', 9))).toMatchObject({ crashes: 0, returned: 5 });
});

test('a task is not started while the table is unavailable, because its crash would not be counted', async () => {
  const { deps, alone } = queueHarness();
  Object.assign(deps.attempts, { read: unreachable, begin: unreachable, handBack: unreachable });
  expect(await alone(message('a', 'one', 2), () => Promise.reject(new Error('begun')))).toBe(true);
});

test('a message that another process received is left to it', async () => {
  const { alone, lost, attempts } = queueHarness();
  lost.push('receipt-one');
  expect(await alone(message('a', 'one', 2), () => Promise.reject(new Error('begun')))).toBe(true);
  expect(await attempts.read(message('a', 'one', 9))).toMatchObject({ crashes: 0, failures: 0 });
});

test('a message that was delivered twice is neither started twice nor given up while one process works on it', async () => {
  const { alone, crash, calls } = queueHarness();
  await crash(message('a', 'one', 2));
  // It is alive and has not ended.
  await crash(message('a', 'one', 3));
  const startedTasks: string[] = [];
  await alone(message('a', 'one', 3), async (body) => {
    startedTasks.push(body);
    return DONE;
  });
  expect(startedTasks).toEqual([]);
  expect(calls).not.toContain('dead-letter one');
  // That process died: the message is redelivered, and the task started.
  expect(await alone(message('a', 'one', 4), async () => DONE)).toBe(false);
});

test('an isolated task is told that another process may run it at the same time, others only after a redelivery', async () => {
  const { alone, serve } = queueHarness();
  const notices: unknown[] = [];
  const act: TaskHandler = async (_, { mayRunTwice }) => {
    notices.push(mayRunTwice);
    return DONE;
  };
  await alone(message('a', 'one', 1), act);
  await serve([message('b', 'two', 1)], act);
  expect(notices).toEqual([true, false]);
});
