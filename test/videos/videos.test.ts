import { expect, test } from '@jest/globals';
import { callbackFaults, underFault, wrongWith } from './callbacks.ts';
import { forged } from './forged.ts';
import { many } from './many.ts';

test.each(callbackFaults().map((fault) => [fault.name, fault] as const))(
  'a call of the service that %s: the job ends as it should, once',
  async (_, fault) => {
    expect(wrongWith(fault, await underFault(fault))).toBeUndefined();
  },
  60_000,
);

test('100 at once, while workers die and calls are lost or doubled: none lost, none doubled, none submitted twice', async () => {
  const { deaths, ...rest } = await many({ jobs: 100, seed: 1, deaths: 30 });
  expect(rest).toMatchObject({ delivered: 100, lost: 0, doubled: 0, twice: 0, submits: 100 });
  expect(deaths).toBeGreaterThan(0);
}, 60_000);

test('10,000 forged calls: none accepted, none queued, none costs a request to the service', async () => {
  const { accepted, upstream, tasks, reads, trueOne } = await forged(10_000);
  expect({ accepted, upstream, tasks, trueOne }).toEqual({
    accepted: 0,
    upstream: 0,
    tasks: 0,
    trueOne: true,
  });
  expect(reads).toBeLessThanOrEqual(6_667);
}, 60_000);
