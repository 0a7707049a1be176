import { expect, test } from '@jest/globals';
import { listProperties } from '../../../shared/commands/forms/form-schema.ts';

test.each([
  ['In one line.', 'In one line.'],
  [' ', undefined],
])('of a field that says %j of itself, %j stands under it', (description, hint) => {
  const properties = { title: { type: 'string', description } };
  expect(listProperties({ type: 'object', properties })).toMatchObject([{ hint }]);
});
