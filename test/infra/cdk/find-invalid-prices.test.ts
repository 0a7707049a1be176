import { expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findInvalidPrices } from '../../../infra/cdk/find-invalid-prices.ts';

/** Checks a file with these prices of a model. */
function check(prices: object): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'parley-prices-'));
  try {
    writeFileSync(join(folder, 'prices.json'), JSON.stringify({ 'model-a': prices }));
    return findInvalidPrices(join(folder, 'prices.json'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('prices with the names of the list are valid, and the name of earlier versions', () => {
  const prices = { prompt: '0.000002', completion: '1e-5', image: '0.01', request: '0' };
  expect(check({ ...prices, input_cache_read: '0.000001' })).toEqual([]);
  expect(check({ ...prices, inputCacheRead: '0.000001' })).toEqual([]);
});

test.each([
  [{ cached: '0.1' }, 'model-a: cached is not one of prompt, completion, image, request, input_cache_read'],
  [{ prompt: 0.000_002 }, 'model-a: prompt is not a price such as "0.000002"'],
  [{ prompt: '$2' }, 'model-a: prompt is not a price such as "0.000002"'],
])('the build fails and names a price that would be ignored: %j', (prices, problem) => {
  expect(check(prices)).toEqual([problem]);
});
