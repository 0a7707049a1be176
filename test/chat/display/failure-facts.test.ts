import { describe, expect, test } from '@jest/globals';
import {
  failureDetails,
  failureFacts,
  formatFailureFacts,
} from '../../../shared/chat/display/failure-facts.ts';
import { BadRequestError } from '../../../shared/upstream/index.ts';

const ERROR = new BadRequestError('no', {
  status: 400,
  code: 'invalid_value',
  param: 'top_k',
  requestId: 'req_1',
});

describe('the facts of a failure', () => {
  test('are status, code, field and request id of an upstream error, and nothing of other errors', () => {
    expect(failureFacts(ERROR)).toEqual({
      status: 400,
      code: 'invalid_value',
      param: 'top_k',
      requestId: 'req_1',
    });
    expect(failureFacts(new Error('x'))).toEqual({});
    expect(failureFacts(new BadRequestError('no', { code: 'c'.repeat(500) })).code).toHaveLength(200);
  });

  test('are undefined as text if there are none', () => {
    expect(formatFailureFacts(failureFacts(ERROR))).toBe('HTTP 400 · invalid_value · param top_k');
    expect(formatFailureFacts({ requestId: 'req_1' })).toBeUndefined();
    expect(formatFailureFacts()).toBeUndefined();
  });

  test('are a note with the request id, in one code span', () => {
    expect(failureDetails(failureFacts(ERROR), 'en')).toBe(
      'Details for support: `HTTP 400 · invalid_value · param top_k · request req_1`',
    );
    expect(failureDetails({ code: 'a`b\nc' }, 'de')).toBe('Details für den Support: `a b c`');
    expect(failureDetails({}, 'en')).toBeUndefined();
  });
});
