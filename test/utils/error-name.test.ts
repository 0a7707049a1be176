import { expect, test } from '@jest/globals';
import { errorName } from '../../shared/utils/error-name.ts';

test('errorName returns the class name of an error and never its message', () => {
  expect(errorName(new RangeError('personal data'))).toBe('RangeError');
  expect(errorName('personal data')).toBe('unknown');
});
