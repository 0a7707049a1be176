import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { decodeText } from '../../shared/documents/decode-text.ts';

const PIECE = 64 * 1024;
const anyEnd = fc.array(
  fc.constantFrom('a', '\n', '\r\n', '\r', 'é', '語', '🎈', '\u001B[31m', '\u001B[0;1;', '\u001B', '[3'),
  { maxLength: 12 },
);
const plain = (text: string): string =>
  // eslint-disable-next-line no-control-regex -- the escape that begins a terminal's colours
  text.replaceAll('\r\n', '\n').replaceAll(/\u001B\[[\d;]*[A-Za-z]/gu, '');

describe('a text decoded in blocks', () => {
  test.each(['utf8', 'utf16le'] as const)('equals the text decoded at once, in %s', (encoding) => {
    fc.assert(
      fc.property(anyEnd, anyEnd, fc.integer({ min: -20, max: 20 }), (before, after, shift) => {
        // The boundaries of blocks matter.
        const filler = 'x'.repeat((encoding === 'utf8' ? PIECE : PIECE / 2) - before.join('').length + shift);
        const text = `${filler}${before.join('')}${after.join('')}${'y'.repeat(70_000)}`;
        const mark = encoding === 'utf16le' ? '\uFEFF' : '';
        const bytes = Buffer.from(mark + text, encoding);
        expect(decodeText(bytes, Infinity)).toEqual({ text: plain(text), omitted: 0 });
        const start = decodeText(bytes, 66_000);
        expect(plain(text).startsWith(start?.text ?? '?')).toBe(true);
        expect((start?.text.length ?? 0) + (start?.omitted ?? 0)).toBe(plain(text).length);
        expect(start?.text.isWellFormed()).toBe(true);
      }),
    );
  });

  test('is rejected if any part of it is not text', () => {
    expect(decodeText(Buffer.from(`${'a'.repeat(200_000)}\u0000`), 10)).toBeUndefined();
    expect(decodeText(Buffer.concat([Buffer.alloc(200_000, 'a'), Buffer.from([0x81])]), 10)).toEqual({
      text: 'a'.repeat(10),
      omitted: 199_991,
    });
  });
});
