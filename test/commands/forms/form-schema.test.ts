import { expect, test } from '@jest/globals';
import { formatValue, listProperties, parseValue } from '../../../shared/commands/forms/form-schema.ts';

test.each([
  ['In one line.', 'In one line.'],
  [' ', undefined],
])('of a field that says %j of itself, %j stands under it', (description, hint) => {
  const properties = { title: { type: 'string', description } };
  expect(listProperties({ type: 'object', properties })).toMatchObject([{ hint }]);
});

test('a number in a form that may mean a thousand or one stays text, unless it was shown so or is whole', () => {
  const properties = { amount: { type: 'number' }, count: { type: 'integer' } };
  const [amount, count] = listProperties({ type: 'object', properties });
  if (!amount || !count) throw new Error('A property is missing');
  const texts = ['12,500', '1.250', '12,5', '1.250,75', '1.5e3', 'many'];
  expect(texts.map((text) => parseValue(amount, 3, text))).toEqual([
    '12,500',
    '1.250',
    12.5,
    1_250.75,
    1_500,
    'many',
  ]);
  expect(texts.slice(0, 2).map((text) => parseValue(count, 3, text))).toEqual([12_500, 1_250]);
  for (const shown of [1.234, 1e21, -2e-7])
    expect(parseValue(amount, shown, formatValue(amount, shown))).toBe(shown);
});
