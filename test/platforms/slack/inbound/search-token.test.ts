import { expect, test } from '@jest/globals';
import { parseEvent } from '../../../../shared/platforms/slack/inbound/parse-event.ts';

const EVENT = {
  type: 'message',
  user: 'U1',
  channel: 'C1',
  channel_type: 'channel',
  ts: '1700000000.000100',
  text: '<@UBOT> hello',
};

/** The token with which the question of this event may search. */
function readToken(event: Record<string, unknown>, outer = {}): string | undefined {
  const body = { type: 'event_callback', team_id: 'T1', event: { ...EVENT, ...event }, ...outer };
  const parsed = parseEvent(body, { botUserId: 'UBOT' });
  if (parsed.kind !== 'chatEvent' || parsed.chatEvent.kind !== 'message') throw new Error('no message');
  return parsed.chatEvent.message.searchToken;
}
const assistant_thread = { action_token: 'xat-1' };

test('the token for searches is in the thread of the assistant, or in the event', () => {
  expect(readToken({ assistant_thread })).toBe('xat-1');
  expect(readToken({ type: 'app_mention', assistant_thread })).toBe('xat-1');
  expect(readToken({ action_token: 'xat-2' })).toBe('xat-2');
  expect(readToken({ assistant_thread: {} })).toBeUndefined();
  expect(readToken({})).toBeUndefined();
});

test('it is left out in channels that are shared with other companies, whose people read the answer', () => {
  expect(readToken({ assistant_thread }, { is_ext_shared_channel: true })).toBeUndefined();
  expect(readToken({ assistant_thread }, { is_ext_shared_channel: false })).toBe('xat-1');
});

test.each([
  { action_token: 'x'.repeat(513) },
  { assistant_thread: { action_token: 7 } },
  { assistant_thread: 'none' },
])('a message with a token that cannot be used is a question without searches: %o', (odd) => {
  expect(readToken(odd)).toBeUndefined();
});
