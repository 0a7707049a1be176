import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { findFenceAt } from '../../../shared/platforms/markdown/code.ts';
import { sanitize } from '../../../shared/platforms/markdown/sanitizer.ts';
import {
  inBytes,
  inCharacters,
  findCut,
  closeOpenBlocks,
  splitIntoRanges,
  split,
} from '../../../shared/platforms/markdown/split.ts';

const piece = fc.oneof(
  fc.constantFrom('\n', '\n\n', '```\n', '```js\n', '~~~\n', '    ', '- ', '> ', '`', '😀', '[', '](', ' '),
  fc.constantFrom('日本語の文。', '漢'.repeat(60), '😀'.repeat(30), 'é'),
  fc.string({ maxLength: 30 }),
  fc.constantFrom('word ', 'a sentence of several words. ', 'x'.repeat(120)),
);
const units = fc.constantFrom(inCharacters, inBytes);
const text = fc.array(piece, { maxLength: 80 }).map((pieces) => pieces.join(''));

describe('split', () => {
  test('does not change a text that fits', () => {
    expect(split('One.\n\nTwo.', inCharacters(100))).toEqual(['One.\n\nTwo.']);
    expect(split('', inCharacters(100))).toEqual([]);
  });

  test('prefers a paragraph, then a line, then a word, then a character', () => {
    const words = 'some words of text ';
    const paragraph = `${words.repeat(3)}\n\n`;
    const lines = `${words}\n${words.repeat(3)}`;
    expect(split(paragraph + lines, inCharacters(150))).toEqual([paragraph, lines]);
    expect(split(`${words.repeat(3)}\n${words.repeat(3)}`, inCharacters(150))[0]).toBe(
      `${words.repeat(3)}\n`,
    );
    expect(split(words.repeat(9), inCharacters(150))[0]).toMatch(/ $/);
    expect(split('x'.repeat(300), inCharacters(152))).toEqual([
      'x'.repeat(100),
      'x'.repeat(100),
      'x'.repeat(100),
    ]);
  });

  test('closes a fence before the cut and opens it again with its language', () => {
    const [first = '', second = ''] = split(
      `Look:\n\n\`\`\`python\n${'print(1)\n'.repeat(20)}\`\`\`\n`,
      inCharacters(200),
    );
    expect(first).toMatch(/print\(1\)\n```$/);
    expect(second).toMatch(/^```python\nprint\(1\)\n/);
  });

  test('moves a code block to the next message if it fits there', () => {
    const prose = 'Some prose that fills half. '.repeat(4);
    const code = `\`\`\`\n${'line\n'.repeat(10)}\`\`\`\n`;
    expect(split(`${prose}\n${code}`, inCharacters(200))).toEqual([`${prose}\n`, code]);
  });

  test('never loses or repeats a character, and never exceeds the limit', () => {
    fc.assert(
      fc.property(text, units, fc.integer({ min: 100, max: 400 }), (whole, unit, max) => {
        const limit = unit(max);
        const cuts = splitIntoRanges(whole, limit);
        expect(cuts.map(({ from, to }) => whole.slice(from, to)).join('')).toBe(whole);
        for (const cut of cuts)
          expect(limit.unit.size(closeOpenBlocks(whole, cut, limit))).toBeLessThanOrEqual(max);
      }),
      { numRuns: 500 },
    );
  });

  test('never cuts a surrogate pair', () => {
    fc.assert(
      fc.property(units, fc.integer({ min: 100, max: 130 }), (unit, max) => {
        for (const part of split('😀'.repeat(200), unit(max))) expect(part.isWellFormed()).toBe(true);
      }),
    );
  });

  test('leaves no fence open at the end of a part', () => {
    fc.assert(
      fc.property(text.map(sanitize), (whole) => {
        const cuts = splitIntoRanges(whole, inBytes(150)).filter(
          ({ to }) => to < whole.length && whole.charAt(to - 1) === '\n',
        );
        for (const cut of cuts) {
          const part = closeOpenBlocks(whole, cut, inBytes(150));
          expect(findFenceAt(`${part}\n`, part.length + 1)).toBeUndefined();
        }
      }),
      { numRuns: 300 },
    );
  });

  test('closes a fence of a list with the indentation of the list', () => {
    const [first = ''] = split(`- \`\`\`\n  ${'x '.repeat(130)}`, inBytes(150));
    expect(first).toMatch(/\n {2}```$/);
  });

  test('leaves no code block empty, since Discord would show its fences', () => {
    const code = `\`\`\`\n${'x'.repeat(60)}\n\n\`\`\`\n`;
    for (let from = 5; from <= 66; from += 1) {
      expect(closeOpenBlocks(code, { from, to: code.length }, inCharacters(200))).toMatch(
        /^```\n *[^\s`]|^```\n \n/,
      );
    }
    expect(
      split(`${'word '.repeat(20)}\n\`\`\`js\n${'x'.repeat(90)}\n\`\`\`\n`, inCharacters(170))[0],
    ).not.toMatch(/`/);
  });

  test('cuts after the text that people have already seen', () => {
    const whole = `${'a sentence. '.repeat(10)}\n\n${'more. '.repeat(40)}`;
    expect(findCut(whole, 0, inCharacters(200), { atLeast: 140 })).toBeGreaterThanOrEqual(140);
  });
});
