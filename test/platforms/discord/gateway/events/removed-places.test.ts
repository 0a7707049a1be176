import { expect, test } from '@jest/globals';
import type { ChatEvent } from '../../../../../shared/domain/index.ts';
import { parseGatewayEvent } from '../../../../../shared/platforms/discord/gateway/events/events.ts';
import { ChannelDirectory } from '../../../../../shared/platforms/discord/gateway/events/channel-directory.ts';
import type { Json } from '../../../../simulators/discord/json.ts';
import { BOT, DM, FakeGuilds, GENERAL, GUILD } from '../fake-guilds.ts';

const ME = { id: BOT, role: () => undefined, mayConcern: () => true, acceptEdit: () => true };
const NOW = 1_790_000_000_000;

/** The forwarded events, or the reason why the event is dropped. */
async function meaning(t: string, d: Json): Promise<readonly ChatEvent[] | string> {
  const channels = new ChannelDirectory(new FakeGuilds().reads());
  const read = parseGatewayEvent(t, d, ME, channels, NOW);
  return read.kind === 'drop' ? read.reason : read.chatEvents(channels);
}

test('a deleted thread is deleted with its messages', async () => {
  const thread = { id: '7', type: 11, guild_id: GUILD, parent_id: GENERAL };
  expect(await meaning('THREAD_DELETE', thread)).toMatchObject([
    { kind: 'message-deleted', thread: { channel: GENERAL, root: '7' }, message: '7' },
    { kind: 'channel-deleted', workspace: GUILD, channel: GENERAL, thread: '7' },
  ]);
});

test('a deleted channel is gone as a whole; a closed direct message is not', async () => {
  const channel = { id: GENERAL, type: 0, guild_id: GUILD };
  expect(await meaning('CHANNEL_DELETE', channel)).toEqual([
    { kind: 'channel-deleted', platform: 'discord', workspace: GUILD, channel: GENERAL },
  ]);
  expect(await meaning('CHANNEL_DELETE', { id: DM, type: 1 })).toBe('kind');
});

test('a guild that the bot left is erased; a temporarily unavailable guild is not', async () => {
  expect(await meaning('GUILD_DELETE', { id: GUILD })).toEqual([
    { kind: 'app-uninstalled', platform: 'discord', workspace: GUILD, at: NOW },
  ]);
  expect(await meaning('GUILD_DELETE', { id: GUILD, unavailable: true })).toBe('kind');
});
