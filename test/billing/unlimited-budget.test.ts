import { expect, test } from '@jest/globals';
import { unlimitedBudget } from '../../shared/billing/unlimited-budget.ts';

test('a deployment without accounts refuses nobody, books nothing and knows no price', async () => {
  const { reserve, perRequest, agree, refusalOf, paysAlone, warning, zoneOf, enabled } = unlimitedBudget;
  const hold = await reserve();
  expect(await hold.settle('model-a', undefined, 'Words.')).toBeUndefined();
  expect(await Promise.all([hold.release(), refusalOf(), warning(), zoneOf()])).toEqual(
    Array.from({ length: 4 }, () => undefined),
  );
  expect(await perRequest()).toEqual({ atto: 0n, priced: false });
  expect(await agree()).toEqual([]);
  expect([await paysAlone(), enabled]).toEqual([false, false]);
});
