import { expect, test } from '@jest/globals';
import { KeyedQueue } from '../../shared/utils/keyed-queue.ts';
import { SerialQueue } from '../../shared/utils/serial-queue.ts';

test('a serial queue runs one action at a time, in the order of the calls', async () => {
  const queue = new SerialQueue();
  const first = Promise.withResolvers<string>();
  const events: string[] = [];
  const results = [
    queue.run(async () => {
      events.push('first starts');
      return first.promise;
    }),
    queue.run(() => {
      events.push('second starts');
      return 'second';
    }),
  ];
  await Promise.resolve();
  expect(events).toEqual(['first starts']);
  first.resolve('first');
  await expect(Promise.all(results)).resolves.toEqual(['first', 'second']);
});

test('a failed action rejects alone, and the queue continues', async () => {
  const queue = new SerialQueue();
  const failed = queue.run(() => Promise.reject(new Error('broken')));
  const next = queue.run(() => 'next');
  await expect(failed).rejects.toThrow('broken');
  await expect(next).resolves.toBe('next');
  await expect(queue.drain()).resolves.toBeUndefined();
});

test('a keyed queue runs the actions of a key in order, and those of other keys meanwhile', async () => {
  const queue = new KeyedQueue(2, 3);
  const gate = Promise.withResolvers<void>();
  const events: string[] = [];
  const run = (key: string, name: string, until = Promise.resolve()) =>
    queue.run(key, async () => {
      await until;
      events.push(name);
    });
  const all = [run('a', 'a1', gate.promise), run('a', 'a2')];
  await run('b', 'b1');
  expect(events).toEqual(['b1']);
  expect(queue.isFull).toBe(false);
  all.push(run('b', 'b2', gate.promise));
  expect(queue.isFull).toBe(true);
  gate.resolve();
  await Promise.all([...all, queue.drain()]);
  expect(events.filter((name) => name.startsWith('a'))).toEqual(['a1', 'a2']);
  expect(events.filter((name) => name.startsWith('b'))).toEqual(['b1', 'b2']);
  expect(queue.isFull).toBe(false);
});

test('a failed action of a keyed queue rejects alone', async () => {
  const queue = new KeyedQueue(1, 1);
  const failed = queue.run('a', () => Promise.reject(new Error('broken')));
  await expect(failed).rejects.toThrow('broken');
  expect(queue.isFull).toBe(false);
  await expect(queue.run('a', () => Promise.resolve())).resolves.toBeUndefined();
});

test('an action of a keyed queue that is not ready takes no lane, keeps the order of its key, and is waited for', async () => {
  const queue = new KeyedQueue(1, 2);
  const gate = Promise.withResolvers<void>();
  const events: string[] = [];
  const run = (key: string, name: string, ready?: Promise<void>) =>
    queue.run(key, async () => void events.push(name), ready);
  const waiting = [run('a', 'a1', gate.promise), run('a', 'a2', gate.promise)];
  expect(queue.isFull).toBe(true);
  await run('b', 'b1');
  expect(events).toEqual(['b1']);
  const drained = queue.drain();
  gate.resolve();
  await drained;
  expect(events).toEqual(['b1', 'a1', 'a2']);
  expect(queue.isFull).toBe(false);
  await Promise.all(waiting);
});
