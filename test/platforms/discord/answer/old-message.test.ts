import { expect, test } from '@jest/globals';
import { clock } from '../clock.ts';
import { discord, onDiscord, side } from '../on-discord.ts';

onDiscord();

const EDIT = 'PATCH /channels/{channel_id}/messages/{message_id}';
/** The message is older than an hour, and there were too many edits of such messages. */
const TOO_MANY_OLD_EDITS = 30_046;

test('an answer that is too old to be edited again is replaced by a new message, without a pause', async () => {
  const turn = await side.ask('why?');
  const before = await side.platform.reply(turn, []).publish('An answer.');
  discord.faults.add({ kind: 'refuse', code: TOO_MANY_OLD_EDITS, route: EDIT, times: 99 });
  const askedAt = clock.now();
  const after = await side.platform.reply(turn, before).publish('Another answer.');
  expect(after).not.toEqual(before);
  expect(await side.visibleMessages(turn)).toEqual([{ id: after[0], text: 'Another answer.' }]);
  expect(discord.calls.filter(({ outcome }) => outcome === 'refuse')).toHaveLength(1);
  expect(clock.now()).toBe(askedAt);
});
