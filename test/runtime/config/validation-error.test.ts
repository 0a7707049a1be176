import { expect, test } from '@jest/globals';
import { inspect } from 'node:util';
import { ValidationError, redactValidationError } from '../../../shared/runtime/config/validation-error.ts';
import { parseTurnItem } from '../../../shared/storage/turns/turn-item.ts';

const thrown = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    return error;
  }
};

test('a redacted validation error names fields and contains no values', () => {
  const item = { pk: { S: 'THREAD#slack#T1#C1#1.1' }, ask: { S: 'my salary' }, mark: { S: 'my salary' } };
  const error = redactValidationError(thrown(() => parseTurnItem(item)));
  expect(error).toBeInstanceOf(ValidationError);
  expect(error).toHaveProperty('message', 'sk, id, by, ws, mark.S missing or wrong');
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('salary');
});

test('other errors are not changed', () => {
  const other = new Error('connection reset');
  expect(redactValidationError(other)).toBe(other);
});
