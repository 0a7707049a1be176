import { describe, expect, jest, test } from '@jest/globals';
import { DAY_WINDOWS, rolling } from './days.ts';
import { ledgers } from './ledgers.ts';
import { underLoad } from './load.ts';
import { type Checked, checkTakes, MUTANTS, type World, worldOf } from './takes.ts';

const MINUTE = 60_000;
const SEEDS = [1, 2, 3];

async function check(takes: number, world?: World): Promise<string[]> {
  const wrong: string[] = [];
  for (const seed of SEEDS) wrong.push(...wrongIn(await checkTakes(seed, takes, world), seed));
  return wrong;
}

const wrongIn = ({ excess, wrong, writes, used }: Checked, seed: number): string[] => [
  ...(excess > 0 ? [`seed ${seed}: ${excess} above burst and refill`] : []),
  ...(wrong > 0 ? [`seed ${seed}: ${wrong} wrong refusals`] : []),
  ...(writes > 2 ? [`seed ${seed}: ${writes} writes for one take`] : []),
  ...(used < 0.98 ? [`seed ${seed}: ${used} of the allowance used`] : []),
];

// No bound on the machine: all of it runs on simulated clocks.
jest.setTimeout(10 * MINUTE);

describe('a share of what `npm run limits` checks', () => {
  test('takes: none above burst plus refill, none wrongly refused, two writes at most', async () => {
    expect(await check(1_500)).toEqual([]);
  });

  test('the rule itself, where nothing takes time, is kept to the last request', async () => {
    expect(await check(3_000, { exact: true })).toEqual([]);
  });

  test.each(MUTANTS)('the seeded bug is noticed: %s', async (mutant) => {
    expect(await check(3_000, worldOf(mutant))).not.toEqual([]);
  });

  test('at three times the load no request of ours is refused, the allowance is used, and shared', async () => {
    const load = { seed: 1, hours: 0.08, perMinute: 360, people: 50, greed: 3 };
    const { refused, used, fairness } = await underLoad(load);
    expect(refused).toBe(0);
    expect(used).toBeGreaterThanOrEqual(0.98);
    expect(fairness).toBeGreaterThanOrEqual(0.95);
  });

  test('a write that is made twice, for its reply was lost, costs a request, and none is sent too many', async () => {
    const load = { seed: 2, hours: 0.05, perMinute: 360, people: 50, greed: 3, repeated: 0.05 };
    const { refused, used } = await underLoad(load);
    expect(refused).toBe(0);
    expect(used).toBeGreaterThanOrEqual(0.9);
    // Each costs what it took: a check that saw no difference would repeat nothing.
    expect(used).toBeLessThan(0.975);
  });

  test('a key that is used elsewhere too costs one 429 for each change at most', async () => {
    const foreign = [
      { fromHour: 0.03, perMinute: 40 },
      { fromHour: 0.06, perMinute: 0 },
    ];
    const load = { seed: 2, hours: 0.09, perMinute: 360, people: 50, greed: 1, foreign };
    const { refusedByChange } = await underLoad(load);
    expect(Math.max(...refusedByChange)).toBeLessThanOrEqual(1);
  });

  test.each(Object.entries(DAY_WINDOWS))('a rolling window never holds one more: %s', async (_, window) => {
    const { granted, most } = await rolling(1, window, 4_000);
    expect(most).toBe(window.requests);
    expect(granted).toBeGreaterThan(window.requests);
  });

  test('the ledger adds up, and no budget is passed', async () => {
    const { wrong, over, died, refused } = await ledgers(1, 1_000);
    expect(wrong).toEqual([]);
    expect(over).toBe(0n);
    expect(died).toBeGreaterThan(0);
    expect(refused).toBeGreaterThan(0);
  });

  test('the ledger would not add up if changes were not tied to their call', async () => {
    const { wrong } = await ledgers(1, 500, 'no hold');
    expect(wrong).not.toEqual([]);
  });
});
