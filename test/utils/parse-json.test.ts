import { expect, test } from '@jest/globals';
import { parseJson } from '../../shared/utils/parse-json.ts';

test.each([
  ['{"a":[1]}', { a: [1] }],
  ['null', null],
  ['', undefined],
  ['{', undefined],
])('%j is parsed as %j', (text, expected) => {
  expect(parseJson(text)).toEqual(expected);
});
