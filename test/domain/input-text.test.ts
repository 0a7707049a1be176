import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { removeRejectedCharacters, parsePlatformJson } from '../../shared/domain/index.ts';

/** Characters that XML 1.0, and so SQS, rejects. */
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

describe('removeRejectedCharacters', () => {
  test.each(REJECTED.map((one) => [one.charCodeAt(0).toString(16), one]))('removes U+%s', (_, one) => {
    expect(removeRejectedCharacters(`a${one}b`)).toBe('ab');
  });

  test.each(ALLOWED.map((one) => [one.codePointAt(0)?.toString(16), one]))('keeps U+%s', (_, one) => {
    expect(removeRejectedCharacters(`a${one}b`)).toBe(`a${one}b`);
  });

  test('parsePlatformJson cleans every string and otherwise equals JSON.parse', () => {
    const strange = fc.string({ unit: fc.constantFrom(...REJECTED, ...ALLOWED, 'x'), maxLength: 8 });
    fc.assert(
      fc.property(fc.jsonValue(), strange, strange, (value, text, escaped) => {
        const written = JSON.stringify({ value, text, list: [{ escaped }] });
        const read = parsePlatformJson(written);
        expect(read).toEqual(
          JSON.parse(written, (_key, one: unknown) =>
            typeof one === 'string' ? removeRejectedCharacters(one) : one,
          ),
        );
        expect(read).toMatchObject({
          text: removeRejectedCharacters(text),
          list: [{ escaped: removeRejectedCharacters(escaped) }],
        });
      }),
      { numRuns: 300 },
    );
  });

  test('an escaped backslash is not an escape sequence', () => {
    expect(parsePlatformJson('{"a":"\\\\uffff","b":"\\uffff!"}')).toEqual({ a: '\\uffff', b: '!' });
  });
});
