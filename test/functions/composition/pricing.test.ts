import { expect, test } from '@jest/globals';
import { createPricing } from '../../../functions/composition/billing.ts';
import { parseModels } from '../../../shared/upstream/models/model.ts';

const USAGE = { promptTokens: 10, completionTokens: 1, reasoningTokens: 0, cachedTokens: 4 };
const FILE = { 'model-a': { prompt: '0.000002', completion: '0.00001', inputCacheRead: '0.000001' } };
const MICRO = 10n ** 12n;

const priceWith = (pricing: unknown, file: Parameters<typeof createPricing>[1] = FILE) =>
  createPricing(async () => parseModels([{ id: 'model-a', pricing }]) ?? [], file)(['model-a'], USAGE, 0);

test.each([
  ['no prices', null],
  [
    'no prices under a known name, as Together and the AI gateway of Vercel list them',
    { input: 0.2, output: 0.2 },
  ],
  ['prices that depend on the request, as OpenRouter lists them', { prompt: '-1', completion: '-1' }],
])('the file has the prices of a model for which the list has %s', async (_, pricing) => {
  expect(await priceWith(pricing)).toEqual({ atto: 26n * MICRO, priced: true });
});

test('prices of tokens in the list replace all of the file, also one for cached tokens', async () => {
  const pricing = { prompt: '0.000003', completion: '0.00002' };
  expect(await priceWith(pricing)).toEqual({ atto: 50n * MICRO, priced: true });
});

test('the file has the same names as the list', async () => {
  const file = { 'model-a': { prompt: '0.000002', completion: '0.00001', input_cache_read: '0.000001' } };
  expect(await priceWith(null, file)).toEqual({ atto: 26n * MICRO, priced: true });
});
