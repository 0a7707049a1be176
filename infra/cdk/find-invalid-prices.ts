import { readFileSync } from 'node:fs';
import * as v from 'valibot';

/** `inputCacheRead`: the name of `input_cache_read` in earlier versions. */
const NAMES: readonly string[] = [
  'prompt',
  'completion',
  'image',
  'request',
  'input_cache_read',
  'inputCacheRead',
];

/** A decimal string, as `parsePrice` in `shared/upstream` reads it. */
const PRICE = /^(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/iu;

const fileSchema = v.record(v.string(), v.record(v.string(), v.unknown()));

/**
 * Finds prices in `functions/prices.json` that would be ignored, because of their name or their form: what they are for
 * would count as free or unknown. Deployment fails with one. Throws if the file is no JSON of that form.
 */
export function findInvalidPrices(path: string): string[] {
  const models = v.parse(fileSchema, JSON.parse(readFileSync(path, 'utf8')));
  return Object.entries(models).flatMap(([model, prices]) =>
    Object.entries(prices).flatMap(([name, price]) => {
      if (!NAMES.includes(name)) return `${model}: ${name} is not one of ${NAMES.slice(0, -1).join(', ')}`;
      const isPrice = typeof price === 'string' && PRICE.test(price);
      return isPrice ? [] : `${model}: ${name} is not a price such as "0.000002"`;
    }),
  );
}
