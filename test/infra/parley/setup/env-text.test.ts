import { parse } from 'dotenv';
import { expect, test } from '@jest/globals';
import { assert, property, string } from 'fast-check';
import { setVariables } from '../../../../infra/parley/setup/env-text.ts';

test('changes the lines of its variables, adds new ones at the end, and keeps all others', () => {
  const before = '# Comment\nA=1 # one\n\nexport B="two"\nC=3\nA=4\n';
  expect(setVariables(before, { A: 'x', B: 'y', D: 'z' })).toBe(
    '# Comment\nA=1 # one\n\nB=y\nC=3\nA=x\nD=z\n',
  );
  expect(setVariables('', { A: 'x' })).toBe('A=x\n');
  expect(setVariables('A=1\r\nB=2', { B: '3' })).toBe('A=1\nB=3\n');
  // A comment, or a longer name, is not the variable.
  expect(setVariables('#A=1\nAA=2\n', { A: 'x' })).toBe('#A=1\nAA=2\nA=x\n');
});

/** Values that a form of dotenv can hold: a credential has no line breaks, and not all kinds of quotes. */
const value = string().filter(
  (text) =>
    text !== '' &&
    text.trim() === text &&
    !/[\r\n]/.test(text) &&
    !(text.includes("'") && text.includes('`') && /["\\]/.test(text)),
);

test('dotenv reads each value as it was set', () => {
  assert(
    property(value, (text) => {
      expect(parse(setVariables('B=2\n', { A: text }))).toEqual({ B: '2', A: text });
    }),
  );
});

test('a value that no form can hold is refused', () => {
  expect(() => setVariables('', { A: 'a\nb' })).toThrow(RangeError);
  expect(() => setVariables('', { A: `'"\`` })).toThrow(RangeError);
});
