/** One separator, before decimals. */
const PLAIN = /^[+-]?\d+(?:[.,]\d+)?$/u;
/** Groups of thousands with one separator, and decimals behind another one: `1,234`, `1 234,50`, `12.345.678,5`. */
const GROUPED = /^[+-]?[1-9]\d{0,2}([., '’])\d{3}(?:\1\d{3})*(?:(?!\1)[.,]\d+)?$/u;
/** A thousand in some languages and one in others: `1.000`, `1,000`. */
const UNCLEAR = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/u;

/**
 * Converts a number that a person wrote, in any language of the bot and in any width, to one with a decimal point alone: `1234.5`. Empty
 * if it is no number, or if it is not clear which one it is. `isWhole`: there can be no decimals, so that `1.000` is a thousand.
 * `max`: there can be no greater number, so that `1.000` is one if a thousand is too great.
 */
export function toDecimalPoint(text: string, isWhole = false, max = Infinity): string {
  const number = text.normalize('NFKC').trim();
  if (UNCLEAR.test(number) && !isWhole) return max < 1_000 ? number.replace(',', '.') : '';
  const [, separator = ''] = GROUPED.exec(number) ?? [];
  const ungrouped = separator === '' ? number : number.replaceAll(separator, '');
  return PLAIN.test(ungrouped) ? ungrouped.replace(',', '.') : '';
}

/** Parses such a number; NaN if it is none, is not clear, or has more digits than a number can. */
export function parseNumber(text: string, isWhole = false, max = Infinity): number {
  const number = toDecimalPoint(text, isWhole, max);
  return /^[+-]?\d{1,15}(?:\.\d{1,15})?$/u.test(number) ? Number(number) : Number.NaN;
}
