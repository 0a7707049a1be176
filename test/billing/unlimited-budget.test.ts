import { expect, test } from '@jest/globals';
import { unlimitedBudget } from '../../shared/billing/unlimited-budget.ts';

test('a deployment without billing refuses no one, books nothing and knows no price', async () => {
  const {
    reserve,
    getRequestPrice: perRequest,
    reserveFixedPrice: agree,
    findPersonalRefusal: refusalOf,
    isBlocked,
    mustPayAlone: paysAlone,
    claimWarning: warning,
    getZone: zoneOf,
    enabled,
  } = unlimitedBudget;
  const reservation = await reserve();
  expect(await reservation.settle('model-a', undefined, 'Text.')).toBeUndefined();
  expect(await Promise.all([reservation.release(), refusalOf(), warning(), zoneOf()])).toEqual(
    Array.from({ length: 4 }, () => undefined),
  );
  expect(await perRequest()).toEqual({ atto: 0n, priced: false });
  expect(await agree()).toEqual([]);
  expect([await paysAlone(), await isBlocked(), enabled]).toEqual([false, false, false]);
});
