import { beforeEach, expect, test } from '@jest/globals';
import type { IncomingMessage } from '../../../../../shared/domain/index.ts';
import { parseGatewayEvent } from '../../../../../shared/platforms/discord/gateway/events/events.ts';
import { ChannelDirectory } from '../../../../../shared/platforms/discord/gateway/events/channel-directory.ts';
import type { Json } from '../../../../simulators/discord/json.ts';
import { BOT, DM, FakeGuilds, GENERAL, GUILD } from '../fake-guilds.ts';

const ROLE = '701000000000000001';
const ME = { id: BOT, role: () => ROLE, mayConcern: () => true, acceptEdit: () => true };
const NOW = 1_790_000_000_000;

let guilds: FakeGuilds;
beforeEach(() => {
  guilds = new FakeGuilds();
});

/** The message of an event, or the reason why it is dropped. */
async function messageOf(changes: Json, t = 'MESSAGE_CREATE'): Promise<IncomingMessage | string> {
  const id = guilds.post('', changes);
  const channels = new ChannelDirectory(guilds.reads());
  const author = { id: '1', username: 'ada' };
  const d = { id, channel_id: GENERAL, guild_id: GUILD, author, content: '', ...changes };
  const read = parseGatewayEvent(t, d, ME, channels, NOW);
  if (read.kind === 'drop') return read.reason;
  const chatEvents = await read.chatEvents(channels);
  if (typeof chatEvents === 'string') return chatEvents;
  const [first] = chatEvents;
  if (first?.kind !== 'message') throw new Error('not a message');
  return first.message;
}

const file = (id: string, filename: string, content_type: string) => ({
  id,
  filename,
  content_type,
  size: 5,
  url: `https://cdn.discordapp.com/${filename}`,
});

const answer = { id: '9', author: { id: BOT, bot: true }, interaction_metadata: { user: { id: '1' } } };

test.each<[string, Json]>([
  ['that mentions the role of the bot', { mention_roles: [ROLE] }],
  [
    'that replies to the response to a command',
    { type: 19, mentions: [{ id: BOT }], referenced_message: answer },
  ],
])(
  'a message %s without the content, which Discord hides, asks a question that is hidden',
  async (_, changes) => {
    expect(await messageOf(changes)).toMatchObject({ text: '', isHidden: true, addressed: 'mention' });
  },
);

test.each<[string, Json]>([
  ['a sticker', { sticker_items: [{ id: '5' }] }],
  ['a poll', { poll: { question: {} } }],
  ['nothing, of another bot', { author: { id: '5', bot: true } }],
  ['nothing, in a direct message', { channel_id: DM, guild_id: null }],
])('a mention with %s hides nothing', async (_, changes) => {
  expect(await messageOf({ mentions: [{ id: BOT }], ...changes })).toBe('empty');
});

test('an edit without content is no question', async () => {
  const edited = { mention_roles: [ROLE], edited_timestamp: '2026-09-01T00:00:00.000000+00:00' };
  expect(await messageOf(edited, 'MESSAGE_UPDATE')).toBe('empty');
});

test('recordings of a forwarded message are left out, but named: Discord does not tell who speaks there', async () => {
  const attachments = [file('2', 'voice-message.ogg', 'audio/ogg'), file('3', 'a.png', 'image/png')];
  const snapshot = { message: { content: '', attachments } };
  expect(await messageOf({ channel_id: DM, guild_id: null, message_snapshots: [snapshot] })).toMatchObject({
    text: '> voice-message.ogg',
    attachments: [{ name: 'a.png' }],
  });
});
