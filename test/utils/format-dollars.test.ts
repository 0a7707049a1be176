import { expect, test } from '@jest/globals';
import { LOCALES } from '../../shared/i18n/index.ts';
import { formatAttoDollars, formatDollars } from '../../shared/utils/index.ts';
import { formatDollars as formatOnDashboard } from '../../infra/dashboard/page/format.js';
import { formatDollars as formatInTerminal } from '../../infra/parley/output/format.ts';

const AMOUNTS: readonly [dollars: number, text: string][] = [
  [0, '$0.00'],
  [0.0000123456, '$0.000012'],
  [0.0001, '$0.0001'],
  [0.0199, '$0.02'],
  [0.28, '$0.28'],
  [0.5, '$0.50'],
  [0.999999, '$1.00'],
  [1.239, '$1.24'],
  [1_234.5, '$1,234.50'],
  [-1, '-$1.00'],
];

test.each(AMOUNTS)('%p dollars are %s in chats, in the terminal and on the dashboard', (dollars, text) => {
  const atto = BigInt(Math.round(dollars * 1e12)) * 1_000_000n;
  expect([
    formatDollars(dollars, 'en'),
    formatAttoDollars(atto, 'en'),
    formatInTerminal(dollars),
    formatOnDashboard(dollars),
  ]).toEqual([text, text, text, text]);
});

test('each language writes dollars in one way', () => {
  const written = LOCALES.map((locale) => [locale, formatDollars(1_234.5, locale).replaceAll(/\s/gu, ' ')]);
  expect(Object.fromEntries(written)).toEqual({
    en: '$1,234.50',
    de: '1.234,50 $',
    fr: '1 234,50 $US',
    es: '1234,50 US$',
    pt: 'US$ 1.234,50',
    ja: '$1,234.50',
    ko: 'US$1,234.50',
    zh: 'US$1,234.50',
  });
});
