import { expect, test } from '@jest/globals';
import { getMessageTimeMs } from '../../shared/utils/message-time.ts';

test.each([
  ["Slack's", '1700000000.250000', 1_700_000_000_250],
  ["Slack's, padded as in a sort key", '0001700000000.250000', 1_700_000_000_250],
  // The example of docs.discord.com/developers/reference#snowflakes.
  ["Discord's", '175928847299117063', 1_462_015_105_796],
  ["Discord's, padded as in a sort key", '00175928847299117063', 1_462_015_105_796],
  ['another id', 'TURN', Infinity],
  ['none', '', Infinity],
])('the time in the id of a message, in ms: %s', (_, id, ms) => {
  expect(getMessageTimeMs(id)).toBe(ms);
});
