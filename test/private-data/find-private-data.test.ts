import { describe, expect, test } from '@jest/globals';
import { parseCustomPatterns } from '../../shared/private-data/custom-patterns.ts';
import { Placeholders } from '../../shared/private-data/placeholders.ts';
import { getFilter } from '../../shared/private-data/index.ts';
import { areMaskPatterns } from '../../shared/settings/rules/mask.ts';
import { ASSIGNED, PRIVATE, PUBLIC } from './samples.ts';

const layers = (mask: readonly ('all' | 'cards' | 'keys' | 'emails' | 'media')[], maskPatterns?: string) => ({
  workspace: { values: { mask, maskPatterns } },
});
const filter = (...args: Parameters<typeof layers>) => {
  const parsed = getFilter(layers(...args));
  if (!parsed) throw new Error('nothing is masked');
  return parsed;
};
const mask = (text: string, ...args: Partial<Parameters<typeof layers>>) =>
  new Placeholders(filter(args[0] ?? ['all'], args[1])).mask(text);

describe('private data is found', () => {
  for (const [kind, values] of Object.entries(PRIVATE)) {
    test.each(values)(`${kind} %j`, (value) => {
      for (const [before, after] of [
        ['', ''],
        ['It is ', '.'],
        ['(', ')'],
        ['値は', 'です'],
        ['"a": "', '",'],
        ['<', '|'],
      ])
        expect(mask(`${before}${value}${after}`)).toBe(`${before}[${kind} 1]${after}`);
    });
  }

  test.each(ASSIGNED)('the secret in %j', (text, secret) => {
    expect(mask(text, ['keys'])).toBe(text.replace(secret, '[key 1]'));
    expect(mask(text)).not.toContain(secret);
  });

  test('the rest of a private key whose end is cut off', () => {
    const pem = PRIVATE.key.at(-1) ?? '';
    expect(mask(`Look: ${pem.slice(0, 150)}`)).toBe('Look: [key 1]');
  });

  test('a card number among other numbers', () => {
    expect(mask('Visa 4111 1111 1111 1111 12/28 123, 2nd card 5555-5555-5555-4444')).toBe(
      'Visa [card 1] 12/28 123, 2nd card [card 2]',
    );
  });
});

test.each(PUBLIC)('nothing is masked in %j', (text) => {
  expect(mask(text)).toBe(text);
});

test('only the kinds of the setting are masked, and nothing without it', () => {
  expect(mask('ada@example.com 4111111111111111', ['emails'])).toBe('[email 1] 4111111111111111');
  expect(mask('ada@example.com 4111111111111111', ['cards'])).toBe('ada@example.com [card 1]');
  expect(getFilter(layers([]))).toBeUndefined();
  expect(getFilter({})).toBeUndefined();
});

describe('patterns of administrators', () => {
  const PATTERNS = 'EMP-####; ??-######; Project  Falcon; ACME-*-X; \\#\\*raw; 秘密計画';
  test.each([
    ['emp-1234 and EMP-12345', '[custom 1] and EMP-12345'],
    ['AB-123456, XAB-123456', '[custom 1], XAB-123456'],
    ['ACME-q7w9-x and ACME--X', '[custom 1] and ACME--X'],
    ['#*RAW and raw', '[custom 1] and raw'],
    ['これは秘密計画です。番号EMP-1234です', 'これは[custom 1]です。番号[custom 2]です'],
    ['EMP‑１２３４', '[custom 1]'],
  ])('%j becomes %j', (text, masked) => {
    expect(mask(text, ['media'], PATTERNS)).toBe(masked);
  });

  test('too wide and ambiguous patterns are refused', () => {
    for (const good of ['EMP-####', 'abc', 'a*-b-c', '###', 'ACME *; x##', '\\*\\*\\*'])
      expect([good, areMaskPatterns(good)]).toEqual([good, true]);
    const many = Array.from({ length: 21 }, () => 'abc').join(';');
    for (const bad of ['', ' ; ', '*', '**', 'a*', 'ab*c', 'abc*#', 'abc**', '  ##', 'x'.repeat(61), many])
      expect([bad, areMaskPatterns(bad)]).toEqual([bad, false]);
    expect(parseCustomPatterns(' a##;;\n b## ')).toHaveLength(2);
  });
});
