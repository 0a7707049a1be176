import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { ByteBudget, type ByteReservation } from '../../shared/runtime/byte-budget.ts';

const LIVE = new AbortController().signal;
const TOTAL = 100;

test('the budget never exceeds its total, and serves requests in order', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('take' as const), bytes: fc.integer({ min: -5, max: 150 }) }),
    fc.record({
      kind: fc.constant('shrink' as const),
      which: fc.nat(),
      to: fc.integer({ min: 0, max: 150 }),
    }),
    fc.record({ kind: fc.constant('release' as const), which: fc.nat() }),
    fc.record({ kind: fc.constant('abort' as const), which: fc.nat() }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const budget = new ByteBudget(TOTAL);
      const reservations: { n: number; abort: AbortController; over: boolean }[] = [];
      const permits: ByteReservation[] = [];
      const granted: number[] = [];
      const settle = async (): Promise<void> => {
        for (let i = 0; i < 5; i += 1) await Promise.resolve();
        expect(budget.reservedBytes).toBeLessThanOrEqual(TOTAL);
        expect(budget.reservedBytes).toBeGreaterThanOrEqual(0);
      };
      for (const one of steps) {
        if (one.kind === 'take') {
          const mine = { n: reservations.length, abort: new AbortController(), over: false };
          reservations.push(mine);
          void (async () => {
            try {
              permits.push(await budget.reserve(one.bytes, mine.abort.signal));
              granted.push(mine.n);
            } catch {
              // It was given up.
            }
            mine.over = true;
          })();
        } else if (one.kind === 'abort') {
          const waiting = reservations.filter(({ over }) => !over);
          waiting[one.which % Math.max(1, waiting.length)]?.abort.abort(new Error('gone'));
        } else if (one.kind === 'shrink') permits[one.which % Math.max(1, permits.length)]?.shrink(one.to);
        else permits.splice(one.which % Math.max(1, permits.length), 1)[0]?.release();
        await settle();
      }
      // Whatever is held is given back in the end; then everybody who still waits gets theirs.
      while (permits.length > 0) {
        permits.shift()?.release();
        await settle();
      }
      expect(reservations.every(({ over }) => over)).toBe(true);
      expect(budget.reservedBytes).toBe(0);
      expect(granted).toEqual(granted.toSorted((a, b) => a - b));
    }),
    { numRuns: 500 },
  );
});

test('a reservation that is released twice counts once', async () => {
  const budget = new ByteBudget(TOTAL);
  const [first, second] = [await budget.reserve(60, LIVE), await budget.reserve(40, LIVE)];
  first.release();
  first.release();
  expect(budget.reservedBytes).toBe(40);
  second.shrink(1_000);
  expect(budget.reservedBytes).toBe(40);
});

test('a request that has to wait is notified once, others are not', async () => {
  const budget = new ByteBudget(TOTAL);
  const notices: string[] = [];
  const first = await budget.reserve(TOTAL, LIVE, () => notices.push('first'));
  const second = budget.reserve(1, LIVE, () => notices.push('second'));
  expect(notices).toEqual(['second']);
  first.release();
  await second;
  expect(notices).toEqual(['second']);
});

test('a request with an aborted signal is rejected and reserves nothing', async () => {
  const budget = new ByteBudget(TOTAL);
  await expect(budget.reserve(1, AbortSignal.abort(new Error('over')))).rejects.toThrow('over');
  expect(budget.reservedBytes).toBe(0);
});
