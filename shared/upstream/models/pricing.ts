import type { Usage } from '../chat-types.ts';
import type { Pricing } from './model.ts';

/** Digits of an atto-dollar, 10⁻¹⁸ US dollars. Token prices go down to about 10⁻⁸; binary floats would not sum exactly. */
const ATTO_DIGITS = 18;
const PRICE = /^(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/iu;

/**
 * Parses a price into atto-dollars, exactly. Undefined for an invalid price (empty, negative, words) and for more than 18
 * decimal places.
 */
export function parsePrice(text: string | null | undefined): bigint | undefined {
  const [match, whole = '', fraction = '', exponent = '0'] = PRICE.exec(text?.trim() ?? '') ?? [];
  if (match === undefined || whole + fraction === '') return undefined;
  const shift = ATTO_DIGITS - fraction.length + Number(exponent);
  const digits = BigInt(whole + fraction);
  if (shift >= 0) return digits * 10n ** BigInt(shift);
  const divisor = 10n ** BigInt(-shift);
  return digits % divisor === 0n ? digits / divisor : undefined;
}

/** The cost of a request in atto-dollars, as far as prices are known. */
export type Cost = {
  readonly atto: bigint;
  /** Used components without a known price. If there are any, `atto` is too low. */
  readonly unpriced: readonly (keyof Pricing)[];
};

/**
 * Calculates the exact cost of a request, or of several with this total usage. Reasoning tokens are part of the completion tokens and are not counted again.
 * Cached tokens cost the cache read price, or the prompt price without one.
 */
export function calculateCost(usage: Usage, pricing: Pricing | undefined, images = 0, requests = 1): Cost {
  const unpriced: (keyof Pricing)[] = [];
  const addComponent = (name: keyof Pricing, count: number): bigint => {
    if (count <= 0) return 0n;
    const price = parsePrice(pricing?.[name]);
    if (price === undefined) unpriced.push(name);
    return BigInt(count) * (price ?? 0n);
  };
  const cached = Math.min(usage.cachedTokens, usage.promptTokens);
  const hasCachePrice = parsePrice(pricing?.inputCacheRead) !== undefined;
  const atto =
    addComponent('prompt', usage.promptTokens - (hasCachePrice ? cached : 0)) +
    addComponent('inputCacheRead', hasCachePrice ? cached : 0) +
    addComponent('completion', usage.completionTokens) +
    addComponent('image', images) +
    addComponent('request', requests);
  return { atto, unpriced };
}

/** Formats atto-dollars as a decimal string with all digits: `0.0050035`. */
export function toDecimalDollars(atto: bigint): string {
  const sign = atto < 0n ? '-' : '';
  const digits = String(atto < 0n ? -atto : atto).padStart(ATTO_DIGITS + 1, '0');
  const fraction = digits.slice(-ATTO_DIGITS).replace(/0+$/u, '');
  return `${sign}${digits.slice(0, -ATTO_DIGITS)}${fraction === '' ? '' : `.${fraction}`}`;
}
