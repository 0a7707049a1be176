import type { Usage } from '../chat/types.ts';
import type { Pricing } from './model.ts';

/** Atto-dollars: 10⁻¹⁸ US dollars. Prices go down to about 10⁻⁸ a token, and sums of binary floats would be off. */
const DIGITS = 18;
const PRICE = /^(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/iu;

/**
 * A price in atto-dollars, exactly. Undefined for what is no price (empty, negative, words) and for one that has more
 * than 18 digits after the point.
 */
export function parsePrice(text: string | null | undefined): bigint | undefined {
  const [match, whole = '', fraction = '', exponent = '0'] = PRICE.exec(text?.trim() ?? '') ?? [];
  if (match === undefined || whole + fraction === '') return undefined;
  const shift = DIGITS - fraction.length + Number(exponent);
  const digits = BigInt(whole + fraction);
  if (shift >= 0) return digits * 10n ** BigInt(shift);
  const divisor = 10n ** BigInt(-shift);
  return digits % divisor === 0n ? digits / divisor : undefined;
}

/** What a call cost, in atto-dollars, as far as prices are known. */
export type Cost = {
  readonly atto: bigint;
  /** Components that were used and have no known price: when there are any, `atto` is too little. */
  readonly unknown: readonly (keyof Pricing)[];
};

/**
 * The exact cost of a call. Reasoning tokens lie within the completion tokens and are not counted again; cached tokens
 * cost the price of a cache read, or the prompt's when there is none.
 */
export function costOf(usage: Usage, pricing: Pricing | undefined, images = 0): Cost {
  const unknown: (keyof Pricing)[] = [];
  const part = (name: keyof Pricing, count: number): bigint => {
    if (count <= 0) return 0n;
    const price = parsePrice(pricing?.[name]);
    if (price === undefined) unknown.push(name);
    return BigInt(count) * (price ?? 0n);
  };
  const cached = Math.min(usage.cachedTokens, usage.promptTokens);
  const cachePriced = parsePrice(pricing?.inputCacheRead) !== undefined;
  const atto =
    part('prompt', usage.promptTokens - (cachePriced ? cached : 0)) +
    part('inputCacheRead', cachePriced ? cached : 0) +
    part('completion', usage.completionTokens) +
    part('image', images) +
    part('request', 1);
  return { atto, unknown };
}

/** Dollars as a decimal string, to the last digit: `0.0050035`. */
export function dollars(atto: bigint): string {
  const sign = atto < 0n ? '-' : '';
  const digits = String(atto < 0n ? -atto : atto).padStart(DIGITS + 1, '0');
  const fraction = digits.slice(-DIGITS).replace(/0+$/u, '');
  return `${sign}${digits.slice(0, -DIGITS)}${fraction === '' ? '' : `.${fraction}`}`;
}
