import { expect, test } from '@jest/globals';
import { isIncomplete } from '../../shared/ports/index.ts';
import { isIncompleteReason } from '../../shared/upstream/chat/finish-reason.ts';

test.each(['length', 'context', 'content_filter', 'stop', 'tool_calls', 'error', ''])(
  'a completion that ended with “%s” is incomplete for the bot if it is for the client',
  (finish) => {
    expect(isIncomplete({ finish })).toBe(isIncompleteReason(finish));
  },
);

test('a limit makes it incomplete, its own end does not', () => {
  expect([isIncomplete({ finish: 'length' }), isIncomplete({ finish: 'stop' })]).toEqual([true, false]);
});
