import { expect, test } from '@jest/globals';
import { callbackFaults, underFault, wrongWith } from './callbacks.ts';
import { sendForgedCallbacks } from './forged-callbacks.ts';
import { runManyJobs } from './many-jobs.ts';

test.each(callbackFaults().map((fault) => [fault.name, fault] as const))(
  'a call of the service that %s: the job ends as it should, once',
  async (_, fault) => {
    expect(wrongWith(fault, await underFault(fault))).toBeUndefined();
  },
);

test('100 simultaneous jobs with worker crashes and lost or duplicate callbacks: none is lost, duplicated or submitted twice', async () => {
  const { deaths, ...rest } = await runManyJobs({ jobs: 100, seed: 1, deaths: 30 });
  expect(rest).toMatchObject({ delivered: 100, lost: 0, doubled: 0, twice: 0, submits: 100 });
  expect(deaths).toBeGreaterThan(0);
});

test('10,000 forged callbacks: none is accepted or queued, and none causes a request to the service', async () => {
  const { accepted, upstream, tasks, reads, trueOne } = await sendForgedCallbacks(10_000);
  expect({ accepted, upstream, tasks, trueOne }).toEqual({
    accepted: 0,
    upstream: 0,
    tasks: 0,
    trueOne: true,
  });
  expect(reads).toBeLessThanOrEqual(6_667);
});
