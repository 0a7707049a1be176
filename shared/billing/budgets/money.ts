/** Atto-dollars: 10⁻¹⁸ US dollars. In this unit the price of every token is an integer. */
export type AttoDollars = bigint;

const DIGITS = 18;
export const ATTO_PER_DOLLAR: AttoDollars = 10n ** BigInt(DIGITS);

/** Parses an amount as people write it: `5`, `$2.50`, `0.001`. Undefined if it is invalid or at least a billion. */
export function parseDollars(text: string): AttoDollars | undefined {
  const match = /^\$?\s*(\d{1,9})(?:\.(\d{1,18}))?$/u.exec(text.trim());
  if (!match) return undefined;
  const [, whole = '0', fraction = ''] = match;
  return BigInt(whole) * ATTO_PER_DOLLAR + BigInt(fraction.padEnd(DIGITS, '0'));
}

/** Formats the exact amount as a decimal number: `0.0050035`. */
export function formatExactDollars(atto: AttoDollars): string {
  const sign = atto < 0n ? '-' : '';
  const digits = String(atto < 0n ? -atto : atto).padStart(DIGITS + 1, '0');
  const fraction = digits.slice(-DIGITS).replace(/0+$/u, '');
  return `${sign}${digits.slice(0, -DIGITS)}${fraction === '' ? '' : `.${fraction}`}`;
}
