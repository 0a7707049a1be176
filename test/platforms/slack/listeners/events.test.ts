import { expect, test } from '@jest/globals';
import { listEvents } from '../../../../shared/platforms/slack/oauth/scopes.ts';
import { front, mention, signed } from '../../../functions/slack.ts';

const subscribed = new Set(listEvents('channels', true).map((name) => name.split('.', 1)[0]));

test.each([...subscribed])('the event %s of the app manifest has a listener', async (type) => {
  const { handle, effects } = front();
  const { statusCode } = await handle(signed({ ...mention(), event: { type } }));
  // A listener refuses or drops an event without other fields; without a listener it would be accepted silently.
  expect([statusCode, effects.log]).not.toEqual([200, []]);
});

test('an event that the app manifest does not name gets a 200 and reaches no listener', async () => {
  const { handle, effects } = front();
  const { statusCode } = await handle(signed({ ...mention(), event: { type: 'channel_archive' } }));
  expect([statusCode, effects.log]).toEqual([200, []]);
});

test('an accepted message is logged with its workspace, by which its stored question is found', async () => {
  const { handle, effects } = front();
  await handle(signed(mention()));
  const place = { workspace: 'T1', channel: 'C1', root: '1700000000.000100', message: '1700000000.000100' };
  expect(effects.log.map((line): unknown => JSON.parse(line))).toEqual([
    expect.objectContaining({ event: 'slack.accepted', ...place }),
  ]);
});
