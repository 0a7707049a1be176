import { describe, expect, test } from '@jest/globals';
import type { QueueDelivery } from '../../shared/domain/index.ts';
import { DONE, HIDDEN, message, queueHarness, settle, slowTasks, unreachable } from './queue-harness.ts';

describe('the messages of one process', () => {
  test('are worked on in parallel: a thread does not wait for another one', async () => {
    const { serve, calls } = queueHarness();
    const { act, end } = slowTasks();
    const served = serve([message('a', 'slow'), message('b', 'quick')], act);
    await settle();
    end('quick');
    await settle();
    expect(calls).toContain('delete receipt-quick');
    expect(calls).not.toContain('delete receipt-slow');
    end('slow');
    expect(await served).toEqual([]);
  });

  test('that follow a long answer are returned instead of being started and aborted', async () => {
    const { serve, clock, calls } = queueHarness();
    const startedTasks: string[] = [];
    const left = await serve(
      ['first', 'second', 'third'].map((body) => message('a', body)),
      (body) => {
        startedTasks.push(body);
        clock.now += 550_000;
        return Promise.resolve(DONE);
      },
    );
    expect(startedTasks).toEqual(['first']);
    expect(left).toEqual(['second', 'third']);
    expect(calls).toEqual(expect.arrayContaining(['receipt-second 0', 'receipt-third 0']));
  });

  test('are hidden with one request before any task starts, so that a crash hides them only for seconds', async () => {
    const { serve, calls } = queueHarness();
    const before: string[][] = [];
    await serve([message('a', 'one'), message('b', 'two')], async () => {
      before.push([...calls]);
      return DONE;
    });
    expect(before[0]).toEqual([`receipt-one ${HIDDEN}`, `receipt-two ${HIDDEN}`]);
  });

  test('are extended while they are worked on, and not after they are done', async () => {
    const { serve, calls, sleepers } = queueHarness();
    const { act, end } = slowTasks();
    const served = serve([message('a', 'slow'), message('b', 'quick')], act);
    await settle();
    end('quick');
    await settle();
    calls.length = 0;
    for (const wake of sleepers.splice(0)) wake();
    await settle();
    expect(calls).toEqual([`receipt-slow ${HIDDEN}`]);
    end('slow');
    await served;
  });

  test('are started even if the queue is unavailable', async () => {
    const { deps, serve, lines } = queueHarness();
    deps.queue.hide = unreachable;
    const { act, startedTasks, end } = slowTasks();
    const served = serve([message('a', 'one')], act);
    await settle();
    expect(startedTasks).toEqual(['one']);
    expect(lines).toEqual(['task.visibility-extension-failed']);
    end('one');
    await served;
  });

  test('that another process received are left to it', async () => {
    const { serve, lost, calls } = queueHarness();
    lost.push('receipt-one');
    const startedTasks: string[] = [];
    const left = await serve([message('a', 'one'), message('b', 'two')], async (body) => {
      startedTasks.push(body);
      return DONE;
    });
    expect(startedTasks).toEqual(['two']);
    // The caller must not delete it.
    expect(left).toEqual(['one']);
    expect(calls).not.toContain('delete receipt-one');
  });

  test('that are done at their first receive cause no reads or writes', async () => {
    const { serve, dynamo } = queueHarness();
    await serve([message('a', 'one')], async () => DONE);
    expect(dynamo.items('tokens')).toEqual([]);
  });
});

describe('waits and failures', () => {
  const later = { kind: 'later', afterMs: 5_000 } as const;

  test('a waiting task is returned with its delay, the following ones without; neither counts as a crash', async () => {
    const { serve, calls } = queueHarness();
    expect(await serve([message('a', 'one'), message('a', 'two')], async () => later)).toEqual([
      'one',
      'two',
    ]);
    expect(calls.slice(2)).toEqual(['receipt-one 5', 'receipt-two 0']);
    const startedTasks: string[] = [];
    await serve([message('b', 'other'), message('a', 'one', 2), message('a', 'two', 2)], async (body) => {
      startedTasks.push(body);
      return DONE;
    });
    expect(startedTasks.toSorted()).toEqual(['one', 'other', 'two']);
  });

  test('waits do not count as failures: a task may wait for ten minutes, then comes its last attempt', async () => {
    const { serve, clock, calls } = queueHarness();
    const last: boolean[] = [];
    const wait = async (_: string, delivery: QueueDelivery) => {
      last.push(delivery.isLast);
      return later;
    };
    for (let receives = 1; receives <= 20; receives += 1) {
      await serve([message('a', 'one', receives)], wait);
      clock.now += 30_000;
    }
    expect(last).not.toContain(true);
    await serve([message('a', 'one', 21)], wait);
    expect(last.at(-1)).toBe(true);
    // It did not use its last attempt.
    expect(calls).toContain('dead-letter one');
  });

  test('the fifth attempt is marked as the last, and its failure moves the task to the dead letters', async () => {
    const { serve, calls, facts } = queueHarness();
    const flags: boolean[] = [];
    const left: string[][] = [];
    for (let receives = 1; receives <= 5; receives += 1) {
      left.push(
        await serve([message('a', 'one', receives)], async (_, { isLast: last }) => {
          flags.push(last);
          throw Object.assign(new Error('the token is gone'), { code: 'invalid_auth' });
        }),
      );
    }
    // Which thread, and what the platform said.
    expect(facts.get('task.failed')).toMatchObject({ thread: 'a', error: 'Error', code: 'invalid_auth' });
    expect(facts.get('task.given-up')).toMatchObject({ thread: 'a', failures: 5, crashes: 0 });
    expect(flags).toEqual([false, false, false, false, true]);
    expect(left).toEqual([['one'], ['one'], ['one'], ['one'], []]);
    const handedBack = calls.filter((call) => call.startsWith('receipt-one') && !call.endsWith(` ${HIDDEN}`));
    expect(handedBack).toEqual([1, 2, 4, 8].map((seconds) => `receipt-one ${seconds}`));
    expect(calls.slice(-2)).toEqual(['dead-letter one', 'delete receipt-one']);
  });

  test('the tasks that follow a task that is given up continue', async () => {
    const { serve, attempts } = queueHarness();
    for (let n = 0; n < 5; n += 1)
      await attempts.handBack(message('a', 'one'), { ended: 'failed', isRecorded: false });
    const startedTasks: string[] = [];
    await serve([message('a', 'one', 6), message('a', 'two')], async (body) => {
      startedTasks.push(body);
      return DONE;
    });
    expect(startedTasks).toEqual(['two']);
  });

  test('the message stays when the dead-letter queue is unavailable', async () => {
    const { serve, attempts, deps } = queueHarness();
    deps.queue.sendToDeadLetters = unreachable;
    for (let n = 0; n < 5; n += 1)
      await attempts.handBack(message('a', 'one'), { ended: 'failed', isRecorded: false });
    expect(await serve([message('a', 'one', 6)], async () => DONE)).toEqual(['one']);
  });
});

describe('a message that no process returned', () => {
  test('is handed to an isolated process, and the following ones stay on the queue; other groups continue', async () => {
    const { serve, calls } = queueHarness();
    const startedTasks: string[] = [];
    const left = await serve(
      [message('a', 'one', 2), message('a', 'behind'), message('b', 'other')],
      async (body) => {
        startedTasks.push(body);
        return DONE;
      },
    );
    expect(startedTasks).toEqual(['other']);
    expect(left.toSorted()).toEqual(['behind', 'one']);
    expect(calls).toEqual(expect.arrayContaining(['isolate one', 'receipt-behind 0']));
    // It stays hidden: its isolated process holds it from now on.
    expect(calls).not.toContain('receipt-one 0');
  });

  test('is isolated like a task that is too large, which has no failure recorded and stays hidden', async () => {
    const { serve, calls, lines, attempts } = queueHarness();
    const startedTasks: string[] = [];
    const large = message('a', 'large');
    const left = await serve([large, message('a', 'behind'), message('b', 'other')], async (body) => {
      startedTasks.push(body);
      return body === 'large' ? { kind: 'too-large' } : DONE;
    });
    expect(startedTasks.toSorted()).toEqual(['large', 'other']);
    expect(left.toSorted()).toEqual(['behind', 'large']);
    expect(calls).toEqual(
      expect.arrayContaining(['isolate large', 'receipt-behind 0', 'delete receipt-other']),
    );
    expect(calls).not.toContain('receipt-large 0');
    expect(lines).toEqual([]);
    expect(await attempts.read({ ...large, receives: 2 })).toMatchObject({ failures: 0, crashes: 0 });
  });

  test.each([
    ['that may have crashed a process', 2, DONE],
    ['that is too large', 1, { kind: 'too-large' } as const],
  ])(
    '%s is tried again after five seconds while it cannot be handed over, for ten minutes',
    async (_, first, result) => {
      const { serve, deps, calls, clock } = queueHarness();
      deps.isolate = unreachable;
      for (let n = 0; n < 20; n += 1) {
        expect(await serve([message('a', 'one', first + n)], async () => result)).toEqual(['one']);
        expect(calls.at(-1)).toBe('receipt-one 5');
        clock.now += 30_000;
      }
      expect(calls).not.toContain('dead-letter one');
      expect(await serve([message('a', 'one', first + 20)], async () => result)).toEqual([]);
      expect(calls).toContain('dead-letter one');
    },
  );
});
