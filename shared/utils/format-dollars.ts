/** Atto-dollars: 10⁻¹⁸ US dollars. */
const ATTO_PER_DOLLAR = 1e18;
/** More than any price needs; fewer than `Intl` allows. */
const MAX_DECIMALS = 20;

/**
 * Formats an amount of US dollars for people, as their language writes it: `$0.28`, `0,28 $`, `US$0.28`. One rule for every place: in cents from ten
 * cents on, with two significant digits below. What is not nothing is never shown as zero. `locale` is a valid BCP 47 tag.
 */
export function formatDollars(dollars: number, locale: string): string {
  const decimals = 1 - Math.floor(Math.log10(Math.abs(dollars)));
  const maximumFractionDigits = Math.min(MAX_DECIMALS, Math.max(2, decimals));
  return dollars.toLocaleString(locale, { style: 'currency', currency: 'USD', maximumFractionDigits });
}

/** Converts an amount in atto-dollars to US dollars, to about 15 digits. */
export const attoToDollars = (atto: bigint): number => Number(atto) / ATTO_PER_DOLLAR;

/** The same for an amount in atto-dollars. */
export const formatAttoDollars = (atto: bigint, locale: string): string =>
  formatDollars(attoToDollars(atto), locale);
