import { expect, test } from '@jest/globals';
import { listChannelsSince } from '../../../../../shared/platforms/discord/gateway/sessions/backfill.ts';

const FORUM = 15;
const MEDIA = 16;
const POST = 11;

test('channels and threads with later messages are read, the most recently active first; forums have posts, but no messages', () => {
  const channels = [
    { id: '1', type: 0, last_message_id: '60' },
    { id: '2', type: 0, last_message_id: '50' },
    { id: '3', type: 0, last_message_id: null },
    { id: '4', type: FORUM, last_message_id: '70' },
    { id: '5', type: MEDIA, last_message_id: '80' },
  ];
  const threads = [{ id: '70', type: POST, parent_id: '4', last_message_id: '90' }];
  expect(listChannelsSince({ channels, threads }, '55')).toEqual(['70', '1']);
});
