import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createSearchSources } from '../../../functions/composition/search.ts';
import { unlimitedBudget } from '../../../shared/billing/index.ts';
import { TURN } from '../../chat/completion-harness.ts';
import { type SearchSimulator, startSearchSimulator } from '../../simulators/search/index.ts';

let simulator: SearchSimulator;
beforeAll(async () => {
  simulator = await startSearchSimulator();
});
afterAll(() => simulator.close());

const NEEDS = { budgets: unlimitedBudget, takePermit: () => Promise.resolve(true), log: () => undefined };

const refuseAws = () => Promise.reject(new Error('no secret is read'));

test('without a configured service there is no search', () => {
  expect(
    createSearchSources({ search: undefined, upstreamSecretId: 's' }, { ...NEEDS, aws: refuseAws }),
  ).toEqual([]);
});

test('the configured service is asked with the key in the secret of the models, which is read only then', async () => {
  const read: string[] = [];
  const [source] = createSearchSources(
    {
      search: { service: 'brave', baseUrl: simulator.url, atto: 0n, limit: { perMinute: 60, burst: 5 } },
      upstreamSecretId: 'the-secret',
    },
    {
      ...NEEDS,
      aws: ({ input }) => {
        read.push(input);
        return Promise.resolve({
          SecretString: JSON.stringify({ apiKey: 'models', searchKey: simulator.key }),
        });
      },
    },
  );
  const [tool] =
    (await source?.load(['search'], {
      turn: TURN,
      pictures: [],
      rootIsOurs: true,
      numbering: { last: 0 },
    })) ?? [];
  expect(read).toEqual([]);
  const result = await tool?.prepare({ query: 'moss' }, 'en').run(new AbortController().signal);
  expect(result?.summary).toBe('5 results');
  expect(read).toEqual(['{"SecretId":"the-secret"}']);
});
