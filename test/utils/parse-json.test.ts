import { expect, test } from '@jest/globals';
import { isRecord, parseJson } from '../../shared/utils/parse-json.ts';

test.each([
  ['{"a":[1]}', { a: [1] }],
  ['null', null],
  ['', undefined],
  ['{', undefined],
])('%j is parsed as %j', (text, expected) => {
  expect(parseJson(text)).toEqual(expected);
});

test('an object is a record; null, a list and a text are not', () => {
  expect([{}, { a: null }, null, [], '{}', undefined].map(isRecord)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});
