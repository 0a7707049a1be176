import { describe, expect, test } from '@jest/globals';
import { type TaskHandler, TaskService } from '../../shared/task-queue/index.ts';
import { DONE, message, queueHarness, settle, unreachable } from './queue-harness.ts';

const DRAIN_MS = 100_000;

/** A service on a queue whose receives end when a test says so. */
function serviceWorld() {
  const harness = queueHarness();
  const stop = new AbortController();
  const receives: ((messages: ReturnType<typeof message>[]) => void)[] = [];
  const slept: { ms: number; wake: () => void }[] = [];
  let alive = 0;
  const run = (serve: TaskHandler): Promise<number> =>
    new TaskService({
      ...harness.deps,
      serve,
      time: {
        now: () => harness.clock.now,
        sleep: (ms) => new Promise<void>((wake) => void slept.push({ ms, wake })),
      },
      refill: {
        maxTasks: 2,
        receive: () => new Promise((resolve) => void receives.push(resolve)),
      },
      taskMs: 800_000,
      drainMs: DRAIN_MS,
      alive: () => {
        alive += 1;
      },
    }).run(stop.signal);
  const arrive = async (...bodies: string[]): Promise<void> => {
    receives.shift()?.(bodies.map((body) => message(body, body)));
    for (let n = 0; n < 5; n += 1) await settle();
  };
  const after = async (ms: number): Promise<void> => {
    for (const { wake } of slept.filter((one) => one.ms === ms)) wake();
    for (let n = 0; n < 5; n += 1) await settle();
  };
  return { ...harness, stop, run, arrive, after, receives, alive: () => alive };
}

function slowTasks() {
  const startedTasks: string[] = [];
  const ends = new Map<string, () => void>();
  const deadlines: number[] = [];
  const act: TaskHandler = (body, { deadline }) => {
    startedTasks.push(body);
    deadlines.push(deadline);
    return new Promise((resolve) => void ends.set(body, () => resolve(DONE)));
  };
  return { startedTasks, deadlines, act, end: (body: string): void => ends.get(body)?.() };
}

describe('a long-running process', () => {
  test('keeps receiving when it is idle, and gives each task its full time', async () => {
    const { run, arrive, receives, clock, calls, stop } = serviceWorld();
    const { startedTasks, deadlines, act, end } = slowTasks();
    const over = run(act);
    await arrive();
    await arrive('one');
    end('one');
    await settle();
    clock.now = 5_000_000;
    await arrive('two');
    expect(startedTasks).toEqual(['one', 'two']);
    expect(deadlines).toEqual([800_000, 5_800_000]);
    expect(calls).toContain('delete receipt-one');
    end('two');
    stop.abort();
    receives.shift()?.([]);
    expect(await over).toBe(0);
  });

  test('receives nothing while it is full, and still reports that it is alive', async () => {
    const { run, arrive, after, receives, alive } = serviceWorld();
    const { startedTasks, act, end } = slowTasks();
    void run(act);
    await arrive('one', 'two');
    expect(receives).toHaveLength(0);
    const before = alive();
    await after(10_000);
    expect(alive()).toBeGreaterThan(before);
    expect(receives).toHaveLength(0);
    end('one');
    await after(0);
    await arrive('three');
    expect(startedTasks).toEqual(['one', 'two', 'three']);
  });

  test('does not report that it is alive while the queue is unavailable, and retries', async () => {
    const harness = serviceWorld();
    let tries = 0;
    void new TaskService({
      ...harness.deps,
      serve: async () => DONE,
      refill: { maxTasks: 2, receive: () => ((tries += 1), unreachable()) },
      time: { now: () => 0, sleep: (ms) => (ms === 1_000 && tries < 3 ? settle() : new Promise(() => {})) },
      taskMs: 1,
      drainMs: 1,
      alive: () => {
        throw new Error('it does not live');
      },
    }).run(harness.stop.signal);
    for (let n = 0; n < 9; n += 1) await settle();
    expect(tries).toBe(3);
    expect(harness.lines).toEqual(['task.receive-failed', 'task.receive-failed', 'task.receive-failed']);
  });
});

describe('a process that is told to stop', () => {
  test('returns a running task whose message it had received before, and whose earlier attempt has ended', async () => {
    const { run, receives, after, calls, stop, attempts } = serviceWorld();
    await attempts.handBack({ id: 'one', receives: 1 }, { isRecorded: false });
    const first = Promise.withResolvers<typeof DONE>();
    const over = run((_, { receipt }) =>
      receipt === 'receipt-one' ? first.promise : new Promise(() => undefined),
    );
    for (const delivery of [message('a', 'one'), { ...message('a', 'one', 2), receipt: 'receipt-again' }]) {
      receives.shift()?.([delivery]);
      await after(0);
    }
    first.resolve(DONE);
    await after(0);
    stop.abort();
    receives.shift()?.([]);
    await after(DRAIN_MS);
    expect(await over).toBe(1);
    expect(calls.at(-1)).toBe('receipt-again 0');
  });

  test('finishes running tasks and returns the others immediately', async () => {
    const { run, arrive, receives, calls, stop, dynamo } = serviceWorld();
    const { startedTasks, act, end } = slowTasks();
    const over = run(act);
    receives.shift()?.([message('a', 'first'), message('a', 'second')]);
    for (let n = 0; n < 5; n += 1) await settle();
    stop.abort();
    await arrive('late');
    end('first');
    expect(await over).toBe(0);
    expect(startedTasks).toEqual(['first']);
    expect(calls).toContain('delete receipt-first');
    expect(calls).toContain('receipt-second 0');
    expect(dynamo.items('tokens')).toHaveLength(1);
  });

  test('receives nothing more, and returns what its last receive brings', async () => {
    const { run, arrive, receives, calls, stop } = serviceWorld();
    const over = run(async () => DONE);
    stop.abort();
    await arrive('late');
    expect(await over).toBe(0);
    expect(calls).toEqual(['receipt-late 0']);
    expect(receives).toHaveLength(0);
  });

  test('returns running tasks when the drain time is over, neither as failed nor as crashed', async () => {
    const { run, arrive, after, calls, stop, attempts } = serviceWorld();
    const { act } = slowTasks();
    const over = run(act);
    await arrive('one');
    stop.abort();
    await after(DRAIN_MS);
    // Returned messages would arrive with the receive in progress.
    expect(calls.at(-1)).not.toBe('receipt-one 0');
    await arrive();
    expect(await over).toBe(1);
    expect(calls.at(-1)).toBe('receipt-one 0');
    expect(await attempts.read(message('one', 'one', 2))).toEqual({
      returned: 1,
      failures: 0,
      crashes: 0,
      firstEndedAtMs: undefined,
    });
  });
});
