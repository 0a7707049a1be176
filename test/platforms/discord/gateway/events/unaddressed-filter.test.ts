import { expect, test } from '@jest/globals';
import { UnaddressedFilter } from '../../../../../shared/platforms/discord/gateway/events/unaddressed-filter.ts';

function harness(...answers: readonly (boolean | Error)[]) {
  const left = [...answers];
  let now = 0;
  let lookups = 0;
  const filter = new UnaddressedFilter(
    async () => {
      lookups += 1;
      const answer = left.shift() ?? false;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    () => now,
  );
  return {
    hears: () => filter.mayConcern('21', '31'),
    settle: async () => {
      for (let i = 0; i < 5; i += 1) await Promise.resolve();
    },
    pass: (ms: number) => {
      now += ms;
    },
    lookupCount: () => lookups,
  };
}

test('a message without a mention may concern the bot until a lookup excludes it, at most one in ten seconds', async () => {
  const { hears, settle, pass, lookupCount } = harness(false, true);
  expect([hears(), hears()]).toEqual([true, true]);
  await settle();
  expect(hears()).toBe(false);
  expect(lookupCount()).toBe(1);
  pass(10_000);
  expect(hears()).toBe(false);
  await settle();
  expect(hears()).toBe(true);
  expect(lookupCount()).toBe(2);
});

test('a message without a mention may concern the bot when the lookup fails', async () => {
  const { hears, settle } = harness(new Error('the table cannot be reached'));
  hears();
  await settle();
  expect(hears()).toBe(true);
});
