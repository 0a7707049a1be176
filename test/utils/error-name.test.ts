import { expect, test } from '@jest/globals';
import { getErrorFacts, errorName } from '../../shared/utils/error-name.ts';

test('errorName returns the class name of an error and never its message', () => {
  expect(errorName(new RangeError('personal data'))).toBe('RangeError');
  expect(errorName('personal data')).toBe('unknown');
});

test.each([
  [{ code: 'invalid_auth' }, { error: 'Error', code: 'invalid_auth' }],
  [
    { cause: Object.assign(new Error('no'), { code: 'invalid_auth' }) },
    { error: 'Error', code: 'invalid_auth' },
  ],
  [{ code: 50_001 }, { error: 'Error', code: 50_001 }],
  [{ code: 0 }, { error: 'Error' }],
  [{ cause: new DOMException('late', 'TimeoutError') }, { error: 'Error' }],
  [{ code: 'personal data' }, { error: 'Error' }],
  [{ code: 'AccessDeniedException', name: 'AccessDeniedException' }, { error: 'AccessDeniedException' }],
])(
  'getErrorFacts returns the code of a service, if it is no sentence and says more than the name: %j',
  (fields, facts) => {
    expect(getErrorFacts(Object.assign(new Error('personal data'), fields))).toEqual(facts);
  },
);

test('getErrorFacts leaves out the old number of a DOMException', () => {
  expect(getErrorFacts(new DOMException('late', 'TimeoutError'))).toEqual({ error: 'TimeoutError' });
});
