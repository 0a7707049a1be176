/** Atto-dollars: 10⁻¹⁸ US dollars, in which every price of a token is a whole number. */
export type AttoDollars = bigint;

const DIGITS = 18;
export const ATTO_PER_DOLLAR: AttoDollars = 10n ** BigInt(DIGITS);

/** An amount as people write it: `5`, `$2.50`, `0.001`. Undefined for anything else, and for more than a billion. */
export function parseDollars(text: string): AttoDollars | undefined {
  const match = /^\$?\s*(\d{1,9})(?:\.(\d{1,18}))?$/u.exec(text.trim());
  if (!match) return undefined;
  const [, whole = '0', fraction = ''] = match;
  return BigInt(whole) * ATTO_PER_DOLLAR + BigInt(fraction.padEnd(DIGITS, '0'));
}

/** An amount for people: cents where there are dollars, two digits that count below that, never rounded to nothing. */
export function formatDollars(atto: AttoDollars): string {
  const sign = atto < 0n ? '-' : '';
  const value = atto < 0n ? -atto : atto;
  const [whole = '0', fraction = ''] = formatExactDollars(value).split('.');
  const digits = value >= ATTO_PER_DOLLAR ? 2 : Math.max(2, fraction.search(/[1-9]/u) + 2);
  const unit = 10n ** BigInt(DIGITS - Math.min(DIGITS, digits));
  const rounded = ((value + unit / 2n) / unit) * unit;
  const [dollars = whole, rest = ''] = formatExactDollars(rounded).split('.');
  return `${sign}$${dollars}.${rest.padEnd(2, '0')}`;
}

/** An amount to the last digit, as a decimal number: `0.0050035`. */
export function formatExactDollars(atto: AttoDollars): string {
  const sign = atto < 0n ? '-' : '';
  const digits = String(atto < 0n ? -atto : atto).padStart(DIGITS + 1, '0');
  const fraction = digits.slice(-DIGITS).replace(/0+$/u, '');
  return `${sign}${digits.slice(0, -DIGITS)}${fraction === '' ? '' : `.${fraction}`}`;
}
