import { describe, expect, test } from '@jest/globals';
import type { Delivery } from '../../shared/flows/index.ts';
import { DONE, message, queueWorld } from './set-up.ts';

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const HIDDEN = 18;
const unreachable = (): Promise<never> => Promise.reject(new Error('out of reach'));

describe('messages of one process', () => {
  test('a thread goes on although another takes long; the last one costs no call', async () => {
    const { serve, calls } = queueWorld();
    const slow = Promise.withResolvers<typeof DONE>();
    const quick = Promise.withResolvers<void>();
    const served = serve([message('a', 'slow'), message('b', 'quick')], (body) => {
      if (body === 'slow') return slow.promise;
      quick.resolve();
      return Promise.resolve(DONE);
    });
    await quick.promise;
    await settle();
    expect(calls).toContain('remove receipt-quick');
    slow.resolve(DONE);
    expect(await served).toEqual([]);
    expect(calls).not.toContain('remove receipt-slow');
  });

  test('what waits behind a long answer is handed back, with what is behind it, rather than begun and cut off', async () => {
    const { serve, clock, calls } = queueWorld();
    const begun: string[] = [];
    const left = await serve(
      ['first', 'second', 'third'].map((body) => message('a', body)),
      (body) => {
        begun.push(body);
        clock.now += 450_000;
        return Promise.resolve(DONE);
      },
    );
    expect(begun).toEqual(['first']);
    expect(left).toEqual(['second', 'third']);
    expect(calls).toEqual(expect.arrayContaining(['receipt-second 0', 'receipt-third 0']));
  });

  test('are hidden by one call before anything begins, so that a process that dies at once leaves them for seconds only', async () => {
    const { serve, calls } = queueWorld();
    const before: string[][] = [];
    await serve([message('a', 'one'), message('b', 'two')], async () => {
      before.push([...calls]);
      return DONE;
    });
    expect(before[0]).toEqual([`receipt-one ${HIDDEN}`, `receipt-two ${HIDDEN}`]);
  });

  test('are extended while they are worked on, and no more once they are done', async () => {
    const { serve, calls, sleepers } = queueWorld();
    const slow = Promise.withResolvers<typeof DONE>();
    const served = serve([message('a', 'slow'), message('b', 'quick')], async (body) =>
      body === 'slow' ? slow.promise : DONE,
    );
    await settle();
    calls.length = 0;
    for (const wake of sleepers.splice(0)) wake();
    await settle();
    expect(calls).toEqual([`receipt-slow ${HIDDEN}`]);
    slow.resolve(DONE);
    await served;
  });

  test('come back at different times after their process died', async () => {
    const { deps, calls, crash } = queueWorld();
    let nth = 0;
    deps.random = () => (nth++ % 6) / 6;
    await crash(Array.from({ length: 6 }, (_, n) => message(`${n}`, `m${n}`)));
    const seconds = calls.map((call) => Number(call.split(' ')[1]));
    expect(new Set(seconds).size).toBe(6);
    expect(Math.max(...seconds)).toBeLessThanOrEqual(23);
  });

  test('begin all the same where the queue cannot be reached', async () => {
    const { deps, serve, lines } = queueWorld();
    deps.queue.hide = unreachable;
    expect(await serve([message('a', 'one')], async () => DONE)).toEqual([]);
    expect(lines).toEqual(['task.not-extended']);
  });
});

describe('what is done at once', () => {
  test('reads and writes nothing in the table', async () => {
    const { serve, dynamo } = queueWorld();
    await serve([message('a', 'one')], async () => DONE);
    expect(dynamo.items('tokens')).toEqual([]);
  });
});

describe('waits and failures', () => {
  const later = { kind: 'later', afterMs: 5_000 } as const;

  test('a wait is handed back for so long, what is behind it too, and neither is taken for a crash', async () => {
    const { serve, calls } = queueWorld();
    expect(await serve([message('a', 'one'), message('a', 'two')], async () => later)).toEqual([
      'one',
      'two',
    ]);
    expect(calls.slice(2)).toEqual(['receipt-one 5', 'receipt-two 0']);
    // A crash would be done alone.
    const begun: string[] = [];
    await serve([message('b', 'other'), message('a', 'one', 2), message('a', 'two', 2)], async (body) => {
      begun.push(body);
      return DONE;
    });
    expect(begun.toSorted()).toEqual(['one', 'other', 'two']);
  });

  test('waits do not count as failures: a task may wait for ten minutes, then it is the last time', async () => {
    const { serve, clock, calls } = queueWorld();
    const last: boolean[] = [];
    const wait = async (_: string, delivery: Delivery) => {
      last.push(delivery.last);
      return later;
    };
    for (let receives = 1; receives <= 20; receives += 1) {
      await serve([message('a', 'one', receives)], wait);
      clock.now += 30_000;
    }
    expect(last).not.toContain(true);
    await serve([message('a', 'one', 21)], wait);
    expect(last.at(-1)).toBe(true);
    // It did not make use of its last chance.
    expect(calls).toContain('bury one');
  });

  test('the fifth failure is the last: the attempt is told so, and the task moves to the dead letters at once', async () => {
    const { serve, calls } = queueWorld();
    const seen: boolean[] = [];
    const left: string[][] = [];
    for (let receives = 1; receives <= 5; receives += 1) {
      left.push(
        await serve([message('a', 'one', receives)], async (_, { last }) => {
          seen.push(last);
          throw new Error('the table is out of reach');
        }),
      );
    }
    expect(seen).toEqual([false, false, false, false, true]);
    expect(left).toEqual([['one'], ['one'], ['one'], ['one'], []]);
    expect(calls.filter((call) => call.startsWith('receipt-one') && !call.endsWith(` ${HIDDEN}`))).toEqual(
      [1, 2, 4, 8].map((seconds) => `receipt-one ${seconds}`),
    );
    expect(calls.at(-1)).toBe('bury one');
  });

  test('what is behind a task that is given up goes on', async () => {
    const { serve, attempts } = queueWorld();
    for (let n = 0; n < 5; n += 1) await attempts.handBack('one', { ended: 'failed', alone: false });
    const begun: string[] = [];
    await serve([message('a', 'one', 6), message('a', 'two')], async (body) => {
      begun.push(body);
      return DONE;
    });
    expect(begun).toEqual(['two']);
  });

  test('where the dead letters cannot be reached, the message stays', async () => {
    const { serve, attempts, deps } = queueWorld();
    deps.queue.bury = unreachable;
    for (let n = 0; n < 5; n += 1) await attempts.handBack('one', { ended: 'failed', alone: false });
    expect(await serve([message('a', 'one', 6)], async () => DONE)).toEqual(['one']);
  });
});

describe('after a process died', () => {
  test('a message that it had is done alone; the others are with the queue again before it begins', async () => {
    const { serve, crash, calls } = queueWorld();
    await crash([message('a', 'one'), message('b', 'two')]);
    calls.length = 0;
    let before: string[] = [];
    const begun: string[] = [];
    const again = [message('c', 'clean'), message('a', 'one', 2), message('b', 'two', 2)];
    const left = await serve(again, async (body, delivery) => {
      before = [...calls];
      begun.push(`${body} ${delivery.again}`);
      return DONE;
    });
    expect(begun).toEqual(['one true']);
    expect(left).toEqual(['clean', 'two']);
    // What may have crashed too comes a second later, so that it comes alone.
    expect(before.slice(3)).toEqual(['receipt-clean 0', 'receipt-two 1']);
  });

  test('who was handed back for it is not taken for one that crashed', async () => {
    const { serve, crash } = queueWorld();
    await crash([message('a', 'one')]);
    await serve([message('a', 'one', 2), message('b', 'clean')], async () => DONE);
    const begun: string[] = [];
    await serve([message('b', 'clean', 2), message('c', 'other')], async (body) => {
      begun.push(body);
      return DONE;
    });
    expect(begun).toHaveLength(2);
  });

  test('a task that killed three processes goes to the dead letters without being begun again', async () => {
    const { serve, crash, calls } = queueWorld();
    for (let receives = 1; receives <= 3; receives += 1) await crash([message('a', 'one', receives)]);
    expect(await serve([message('a', 'one', 4)], () => Promise.reject(new Error('begun')))).toEqual([]);
    expect(calls).toContain('bury one');
  });

  test('receives without a crash, as when Lambda was throttled, do not use a task up', async () => {
    const { serve } = queueWorld();
    const begun: string[] = [];
    await serve([message('a', 'one', 50)], async (body) => {
      begun.push(body);
      return DONE;
    });
    expect(begun).toEqual(['one']);
  });

  test('an attempt that ended without being done is no crash', async () => {
    const { serve, crash } = queueWorld();
    await crash([message('a', 'one')]);
    for (let receives = 2; receives <= 6; receives += 1) {
      await serve([message('a', 'one', receives)], async () => ({ kind: 'later', afterMs: 1_000 }));
    }
    const begun: string[] = [];
    await serve([message('a', 'one', 7)], async (body) => {
      begun.push(body);
      return DONE;
    });
    expect(begun).toEqual(['one']);
  });

  test('without the table it is not begun: uncounted it could kill one process after the other', async () => {
    const { deps, serve, crash } = queueWorld();
    await crash([message('a', 'one')]);
    Object.assign(deps.attempts, { read: unreachable, begin: unreachable, handBack: unreachable });
    expect(await serve([message('a', 'one', 2)], async () => DONE)).toEqual(['one']);
  });
});
