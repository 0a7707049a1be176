import { expect, test } from '@jest/globals';
import { type FillContext, fillPersonIndex } from '../../shared/privacy/fill-person-index.ts';
import type { IndexState } from '../../shared/storage/index.ts';
import { TestTime } from '../upstream/time.ts';

/** A table of so many pages of 128 read units each, at 50 a second. */
function rig(pages: number) {
  const time = new TestTime();
  const logged: unknown[] = [];
  let state: IndexState = { kind: 'absent' };
  const now = { isQueryable: true, isFree: true, pages: 0 };
  const context: FillContext = {
    personIndex: {
      isComplete: async () => state.kind === 'complete',
      state: async () =>
        state.kind === 'planned' && state.startAtMs <= time.now()
          ? { kind: 'filling', from: undefined, read: 0 }
          : state,
      plan: async (startAtMs) => void (state = { kind: 'planned', startAtMs }),
      isQueryable: async () => now.isQueryable,
      save: async (before, read, next) => {
        state =
          next === undefined ? { kind: 'complete' } : { kind: 'filling', from: next, read: before + read };
        return true;
      },
      fill: async (from = '0') => {
        now.pages += 1;
        const next = Number(from) + 1;
        return { read: 500, written: 1, pauseMs: 2_560, next: next < pages ? String(next) : undefined };
      },
    },
    scanLease: {
      take: async () => now.isFree,
      release: async () => void logged.push('released'),
    },
    time: { now: time.now, sleep: async (ms) => time.advance(ms) },
    log: (event, facts) => void logged.push([event, facts]),
  };
  return { context, now, logged, time };
}

test('begins once no version before can be running, goes on each minute, ends, and is not looked at again', async () => {
  const { context, now, logged, time } = rig(20);
  await fillPersonIndex(context);
  await fillPersonIndex(context);
  expect([now.pages, logged]).toEqual([0, [['person-index.planned', { afterMs: 1_200_000 }]]]);
  time.advance(1_200_000);
  const rounds: number[] = [];
  for (let before = 0; rounds.length < 10; before = now.pages) {
    const at = time.now();
    await fillPersonIndex(context);
    rounds.push(now.pages - before);
    expect(time.now() - at).toBeLessThanOrEqual(15_000);
  }
  // 15 s at 50 units a second: six pages of 128.
  expect(rounds).toEqual([6, 6, 6, 2, 0, 0, 0, 0, 0, 0]);
  expect(logged.at(-2)).toEqual(['person-index.completed', { count: 10_000, entries: 2 }]);
});

test('waits until DynamoDB has filled the index itself, and while somebody else reads the table', async () => {
  const { context, now, logged, time } = rig(1);
  await fillPersonIndex(context);
  time.advance(1_200_000);
  now.isQueryable = false;
  await fillPersonIndex(context);
  now.isQueryable = true;
  now.isFree = false;
  await fillPersonIndex(context);
  expect(now.pages).toBe(0);
  now.isFree = true;
  await fillPersonIndex(context);
  expect(logged.slice(1)).toEqual([
    ['person-index.building', undefined],
    ['person-index.waiting', undefined],
    ['person-index.completed', { count: 500, entries: 1 }],
    'released',
  ]);
});

test('ends only when the table may be read through by others again', async () => {
  const { context, time } = rig(1);
  await fillPersonIndex(context);
  time.advance(1_200_000);
  const scanLease = { ...context.scanLease, release: () => Promise.reject(new Error('the table is away')) };
  await expect(fillPersonIndex({ ...context, scanLease })).rejects.toThrow('the table is away');
});
