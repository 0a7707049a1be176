import { describe, expect, test } from '@jest/globals';
import { DAY_WINDOWS, rolling } from './day-windows.ts';
import { ledgers } from './ledgers.ts';
import { underLoad } from './load.ts';
import { type TakesReport, checkTakes, SEEDED_BUGS, type TakesOptions, optionsFor } from './token-takes.ts';

const SEEDS = [1, 2, 3];

async function check(takes: number, harness?: TakesOptions): Promise<string[]> {
  const wrong: string[] = [];
  for (const seed of SEEDS) wrong.push(...wrongIn(await checkTakes(seed, takes, harness), seed));
  return wrong;
}

/** Whether one of the seeds shows a bug. The others are then not needed. */
async function isDetected(takes: number, options: TakesOptions): Promise<boolean> {
  for (const seed of SEEDS) if (wrongIn(await checkTakes(seed, takes, options), seed).length > 0) return true;
  return false;
}

const wrongIn = ({ excess, wrong, writes, used }: TakesReport, seed: number): string[] => [
  ...(excess > 0 ? [`seed ${seed}: ${excess} above burst and refill`] : []),
  ...(wrong > 0 ? [`seed ${seed}: ${wrong} wrong refusals`] : []),
  ...(writes > 2 ? [`seed ${seed}: ${writes} writes for one take`] : []),
  ...(used < 0.98 ? [`seed ${seed}: ${used} of the allowance used`] : []),
];

describe('a small part of `npm run limits`', () => {
  test('takes no permit above burst plus refill, denies none wrongly, and needs at most two writes', async () => {
    expect(await check(1_500)).toEqual([]);
  });

  test('the rate limit is exact when nothing takes time', async () => {
    expect(await check(3_000, { exact: true })).toEqual([]);
  });

  test.each(SEEDED_BUGS)('the seeded bug is detected: %s', async (mutant) => {
    expect(await isDetected(3_000, optionsFor(mutant))).toBe(true);
  });

  test('at three times the load no request gets a 429, and the limit is used fully and shared fairly', async () => {
    const load = { seed: 1, hours: 0.08, perMinute: 360, people: 50, greed: 3 };
    const { rejections, used, fairness } = await underLoad(load);
    expect(rejections).toBe(0);
    expect(used).toBeGreaterThanOrEqual(0.98);
    expect(fairness).toBeGreaterThanOrEqual(0.95);
  });

  test('a write that is repeated because its response was lost costs one request, and the limit holds', async () => {
    const load = { seed: 2, hours: 0.05, perMinute: 360, people: 50, greed: 3, repeated: 0.05 };
    const { rejections, used } = await underLoad(load);
    expect(rejections).toBe(0);
    expect(used).toBeGreaterThanOrEqual(0.9);
    // Each permit costs one request: a check without this difference would detect no repetition.
    expect(used).toBeLessThan(0.975);
  });

  test('a key with other users costs at most one 429 for each change', async () => {
    const foreign = [
      { fromHour: 0.03, perMinute: 40 },
      { fromHour: 0.06, perMinute: 0 },
    ];
    const load = { seed: 2, hours: 0.09, perMinute: 360, people: 50, greed: 1, foreign };
    const { refusedByChange } = await underLoad(load);
    expect(Math.max(...refusedByChange)).toBeLessThanOrEqual(1);
  });

  test.each(Object.entries(DAY_WINDOWS))('a rolling window is never exceeded: %s', async (_, window) => {
    const { granted, maxInWindow } = await rolling(1, window, 4_000);
    expect(maxInWindow).toBe(window.requests);
    expect(granted).toBeGreaterThan(window.requests);
  });

  test('the ledger adds up, and no budget is exceeded', async () => {
    const { wrong, over, died, rejections } = await ledgers(1, 1_000);
    expect(wrong).toEqual([]);
    expect(over).toBe(0n);
    expect(died).toBeGreaterThan(0);
    expect(rejections).toBeGreaterThan(0);
  });

  test('the ledger does not add up when changes are not tied to their request', async () => {
    const { wrong } = await ledgers(1, 500, 'no hold');
    expect(wrong).not.toEqual([]);
  });
});
