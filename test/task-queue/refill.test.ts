import { describe, expect, test } from '@jest/globals';
import type { TaskResult } from '../../shared/domain/index.ts';
import type { TaskMessage } from '../../shared/task-queue/index.ts';
import { DONE, HIDDEN, message, queueHarness, settle, slowTasks, unreachable } from './queue-harness.ts';

async function settleTimes(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await settle();
}

describe('a working process', () => {
  test('receives more messages, hidden without an extra request', async () => {
    const { serve, arriving, calls } = queueHarness();
    const { act, startedTasks, end } = slowTasks();
    arriving.push([message('b', 'more')]);
    const served = serve([message('a', 'one')], act);
    await settle();
    await settle();
    expect(startedTasks).toEqual(['one', 'more']);
    expect(calls).toEqual([`receipt-one ${HIDDEN}`]);
    end('one');
    end('more');
    expect(await served).toEqual([]);
    expect(calls).toEqual(expect.arrayContaining(['delete receipt-one', 'delete receipt-more']));
  });

  test('leaves the deletion of the message with which it ends to the caller, if it does not have to wait for a receive', async () => {
    const { serve, calls, arriving } = queueHarness();
    const { act, end } = slowTasks();
    arriving.push([message('b', 'more')]);
    const served = serve([message('a', 'one'), message('c', 'two')], act);
    // The receive that found nothing is over.
    await settleTimes(5);
    for (const body of ['two', 'more', 'one']) {
      end(body);
      await settleTimes(5);
    }
    expect(await served).toEqual([]);
    expect(calls.filter((call) => call.startsWith('delete'))).toEqual([
      'delete receipt-two',
      'delete receipt-more',
    ]);
  });

  test('deletes the last message itself if it received it, or still waits for a receive', async () => {
    const received = queueHarness();
    const tasks = slowTasks();
    received.arriving.push([message('b', 'more')]);
    const served = received.serve([message('a', 'one')], tasks.act);
    await settleTimes(5);
    tasks.end('one');
    await settleTimes(5);
    tasks.end('more');
    await served;
    expect(received.calls.slice(-2)).toEqual(['delete receipt-one', 'delete receipt-more']);

    const waiting = queueHarness();
    const task = slowTasks();
    const receive = Promise.withResolvers<readonly TaskMessage[]>();
    waiting.deps.refill.receive = () => receive.promise;
    const other = waiting.serve([message('a', 'one')], task.act);
    await settle();
    task.end('one');
    await settle();
    expect(waiting.calls).toContain('delete receipt-one');
    receive.resolve([]);
    await other;
  });

  test('keeps a message hidden that it has received again before its earlier attempt at it ended', async () => {
    const { serve, arriving, attempts, calls, sleepers } = queueHarness();
    // Somebody made the message visible while it went back to the queue.
    await attempts.handBack({ id: 'one', receives: 1 }, { isRecorded: false });
    arriving.push([{ ...message('a', 'one', 2), receipt: 'receipt-again' }]);
    const first = Promise.withResolvers<TaskResult>();
    const second = Promise.withResolvers<TaskResult>();
    const served = serve([message('a', 'one')], (_, { receipt }) =>
      receipt === 'receipt-again' ? second.promise : first.promise,
    );
    await settleTimes(5);
    first.resolve({ kind: 'later', afterMs: 90_000, queueWaitMs: 300_000 });
    await settleTimes(5);
    calls.length = 0;
    sleepers.splice(0).forEach((wake) => wake());
    await settleTimes(5);
    expect(calls).toEqual([`receipt-again ${HIDDEN}`]);
    second.resolve(DONE);
    await served;
  });

  test('receives nothing while it has the maximum number of messages', async () => {
    const { serve, arriving, receiveSizes, deps } = queueHarness();
    const { act, startedTasks, end } = slowTasks();
    deps.refill.maxTasks = 2;
    arriving.push([message('b', 'two')], [message('c', 'three')]);
    const served = serve([message('a', 'one')], act);
    for (let n = 0; n < 5; n += 1) await settle();
    expect(startedTasks).toEqual(['one', 'two']);
    expect(receiveSizes).toEqual([1]);
    end('one');
    for (let n = 0; n < 5; n += 1) await settle();
    expect(startedTasks).toEqual(['one', 'two', 'three']);
    for (const body of startedTasks) end(body);
    await served;
  });

  test('stops receiving after two minutes, so that each task has ten minutes; it finishes what it has', async () => {
    const { serve, receiveSizes, clock, arriving } = queueHarness();
    const { act, startedTasks, end } = slowTasks();
    const served = serve([message('a', 'one')], act);
    await settle();
    clock.now += 121_000;
    await settle();
    arriving.push([message('b', 'late')]);
    const before = receiveSizes.length;
    for (let n = 0; n < 5; n += 1) await settle();
    expect(receiveSizes).toHaveLength(before);
    end('one');
    await served;
    expect(startedTasks).toEqual(['one']);
  });

  test('does not wait for messages when it has none left; the messages of the last receive are done', async () => {
    const { serve, arriving, receiveSizes } = queueHarness();
    arriving.push([message('b', 'two')]);
    const startedTasks: string[] = [];
    const left = await serve([message('a', 'one')], async (body) => {
      startedTasks.push(body);
      return DONE;
    });
    expect(startedTasks).toEqual(['one', 'two']);
    expect(left).toEqual([]);
    expect(receiveSizes.length).toBeLessThanOrEqual(2);
  });

  test('pauses after an empty receive, then longest with one task, and shorter the more tasks it has', async () => {
    const { serve, deps, receiveSizes, arriving, sleepers } = queueHarness();
    const pauses: number[] = [];
    const { sleep } = deps.time;
    deps.time.sleep = (ms, signal) => {
      if (receiveSizes.length > 0) pauses.push(ms);
      return sleep(ms, signal);
    };
    const { act, startedTasks, end } = slowTasks();
    const served = serve([message('a', 'one')], act);
    const pass = async (): Promise<void> => {
      sleepers.splice(0).forEach((wake) => wake());
      for (let n = 0; n < 5; n += 1) await settle();
    };
    for (let n = 0; n < 6; n += 1) await pass();
    // Visibility extensions have the same interval.
    expect(pauses).toContain(8_000);
    expect(pauses.filter((ms) => ms < 8_000)).toEqual([4_000]);
    arriving.push([message('b', 'two')]);
    const from = pauses.length;
    await pass();
    await pass();
    expect(startedTasks).toEqual(['one', 'two']);
    expect(pauses.slice(from)).toContain(1_000);
    // It waits for nothing when no work is left.
    end('one');
    end('two');
    expect(await served).toEqual([]);
  });

  test('continues with its tasks when it cannot receive', async () => {
    const { serve, deps } = queueHarness();
    deps.refill.receive = unreachable;
    const { act, end } = slowTasks();
    deps.time.sleep = () => settle();
    const served = serve([message('a', 'one')], act);
    await settle();
    end('one');
    expect(await served).toEqual([]);
  });
});
