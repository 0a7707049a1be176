import { expect, test } from '@jest/globals';
import { type FillContext, fillPersonIndex } from '../../shared/privacy/fill-person-index.ts';
import type { IndexState } from '../../shared/storage/index.ts';
import { TestTime } from '../upstream/time.ts';

/** A table of `pages` pages of 128 read units each, read at 50 units a second. */
function harness(pages: number) {
  const time = new TestTime();
  const events: unknown[] = [];
  let state: IndexState = { kind: 'absent' };
  const table = { isQueryable: true, isFree: true, pages: 0 };
  const context: FillContext = {
    personIndex: {
      isComplete: async () => state.kind === 'complete',
      state: async () =>
        state.kind === 'planned' && state.startAtMs <= time.now()
          ? { kind: 'filling', from: undefined, read: 0 }
          : state,
      plan: async (startAtMs) => void (state = { kind: 'planned', startAtMs }),
      isQueryable: async () => table.isQueryable,
      save: async (before, read, next) => {
        state =
          next === undefined ? { kind: 'complete' } : { kind: 'filling', from: next, read: before + read };
        return true;
      },
      fill: async (from = '0') => {
        table.pages += 1;
        const next = Number(from) + 1;
        return { read: 500, written: 1, pauseMs: 2_560, next: next < pages ? String(next) : undefined };
      },
    },
    scanLease: {
      take: async () => table.isFree,
      release: async () => void events.push('released'),
    },
    time: { now: time.now, sleep: async (ms) => time.advance(ms) },
    log: (event, facts) => void events.push([event, facts]),
  };
  return { context, table, events, time };
}

test('starts when no previous version can run, continues every minute, and completes once', async () => {
  const { context, table, events, time } = harness(20);
  await fillPersonIndex(context);
  await fillPersonIndex(context);
  expect([table.pages, events]).toEqual([0, [['person-index.planned', { afterMs: 1_200_000 }]]]);
  time.advance(1_200_000);
  const rounds: number[] = [];
  for (let before = 0; rounds.length < 10; before = table.pages) {
    const startMs = time.now();
    await fillPersonIndex(context);
    rounds.push(table.pages - before);
    expect(time.now() - startMs).toBeLessThanOrEqual(15_000);
  }
  // 15 s at 50 units a second: six pages of 128.
  expect(rounds).toEqual([6, 6, 6, 2, 0, 0, 0, 0, 0, 0]);
  expect(events.at(-2)).toEqual(['person-index.completed', { count: 10_000, entries: 2 }]);
});

test('waits until DynamoDB has filled the index, and while another task scans the table', async () => {
  const { context, table, events, time } = harness(1);
  await fillPersonIndex(context);
  time.advance(1_200_000);
  table.isQueryable = false;
  await fillPersonIndex(context);
  table.isQueryable = true;
  table.isFree = false;
  await fillPersonIndex(context);
  expect(table.pages).toBe(0);
  table.isFree = true;
  await fillPersonIndex(context);
  expect(events.slice(1)).toEqual([
    ['person-index.building', undefined],
    ['person-index.waiting', undefined],
    ['person-index.completed', { count: 500, entries: 1 }],
    'released',
  ]);
});

test('rejects if the scan lease cannot be released', async () => {
  const { context, time } = harness(1);
  await fillPersonIndex(context);
  time.advance(1_200_000);
  const scanLease = {
    ...context.scanLease,
    release: () => Promise.reject(new Error('the table is unavailable')),
  };
  await expect(fillPersonIndex({ ...context, scanLease })).rejects.toThrow('the table is unavailable');
});
