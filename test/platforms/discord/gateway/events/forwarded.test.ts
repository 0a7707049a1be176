import { expect, test } from '@jest/globals';
import type { IncomingMessage } from '../../../../../shared/domain/index.ts';
import { parseGatewayEvent } from '../../../../../shared/platforms/discord/gateway/events/events.ts';
import { ChannelDirectory } from '../../../../../shared/platforms/discord/gateway/events/channel-directory.ts';
import type { Json } from '../../../../simulators/discord/json.ts';
import { BOT, DM, FakeGuilds } from '../fake-guilds.ts';

const ME = { id: BOT, role: () => undefined, mayConcern: () => true, acceptEdit: () => true };
const NOW = 1_790_000_000_000;

/** The message in a direct channel with these words, which forwards others; or the reason why it is dropped. */
async function forward(content: string, ...snapshots: readonly Json[]): Promise<IncomingMessage | string> {
  const channels = new ChannelDirectory(new FakeGuilds().reads());
  const author = { id: '1', username: 'ada' };
  const message_snapshots = snapshots.map((message) => ({ message }));
  const d = { id: '5', channel_id: DM, author, content, message_snapshots };
  const read = parseGatewayEvent('MESSAGE_CREATE', d, ME, channels, NOW);
  if (read.kind === 'drop') return read.reason;
  const [first] = await read.chatEvents(channels);
  if (typeof first !== 'object' || first.kind !== 'message') throw new Error('not a message');
  return first.message;
}

const PICTURE: Json = {
  id: '8',
  size: 5,
  content_type: 'image/png',
  url: 'https://cdn.discordapp.com/1.png',
};

test('a forwarded message is quoted below the words of who forwards it, with its files', async () => {
  // Discord keeps a name that is not ASCII in the title.
  const picture = { ...PICTURE, filename: '1a2b.png', title: '議事\uFFFF録' };
  const snapshot = { content: 'one\ntwo', attachments: [picture] };
  expect(await forward('what now?', snapshot, { content: '' })).toMatchObject({
    text: 'what now?\n\n> one\n> two',
    attachments: [{ name: '議事録.png' }],
  });
  expect(await forward('', snapshot)).toMatchObject({ text: '> one\n> two' });
});

test('a forwarded alert of another app, which is written in embeds, is quoted too', async () => {
  const embeds = [
    { type: 'rich', title: 'Disk\uFFFF full', description: 'node-7 has 1 % left.' },
    { type: 'article', title: 'A preview of a link' },
  ];
  expect(await forward('', { content: '', embeds })).toMatchObject({
    text: '> Disk full\n> node-7 has 1 % left.',
  });
  // Below words they may be previews.
  expect(await forward('', { content: 'Look.', embeds })).toMatchObject({ text: '> Look.' });
  expect(await forward('', { content: '', embeds: 'none' })).toBe('empty');
  expect(await forward('', { content: '', embeds: [5, { type: 'rich' }] })).toBe('empty');
});
