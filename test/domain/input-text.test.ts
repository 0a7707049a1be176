import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { allowedText, parseInput } from '../../shared/domain/index.ts';

/** Beside what is allowed: what XML 1.0, and so SQS, excludes. */
const REJECTED = ['\u0000', '\u0008', '\u000B', '\u001F', '\uD800', '\uDFFF', '\uFFFE', '\uFFFF'];
const ALLOWED = [
  '\t',
  '\n',
  '\r',
  ' ',
  '\u007F',
  '\u0085',
  '\uD7FF',
  '\uE000',
  '\uFFFD',
  '\u{1FFFE}',
  '🎈',
  'ü',
];

describe('text that comes in', () => {
  test.each(REJECTED.map((one) => [one.charCodeAt(0).toString(16), one]))('U+%s is removed', (_, one) => {
    expect(allowedText(`a${one}b`)).toBe('ab');
  });

  test.each(ALLOWED.map((one) => [one.codePointAt(0)?.toString(16), one]))('U+%s stays', (_, one) => {
    expect(allowedText(`a${one}b`)).toBe(`a${one}b`);
  });

  test('of whatever JSON, every string is allowed text, and all else is as JSON.parse reads it', () => {
    const strange = fc.string({ unit: fc.constantFrom(...REJECTED, ...ALLOWED, 'x'), maxLength: 8 });
    fc.assert(
      fc.property(fc.jsonValue(), strange, strange, (value, text, escaped) => {
        const written = JSON.stringify({ value, text, list: [{ escaped }] });
        const read = parseInput(written);
        expect(read).toEqual(
          JSON.parse(written, (_key, one: unknown) => (typeof one === 'string' ? allowedText(one) : one)),
        );
        expect(read).toMatchObject({ text: allowedText(text), list: [{ escaped: allowedText(escaped) }] });
      }),
      { numRuns: 300 },
    );
  });

  test('an escape that is itself escaped is text', () => {
    expect(parseInput('{"a":"\\\\uffff","b":"\\uffff!"}')).toEqual({ a: '\\uffff', b: '!' });
  });
});
