import { afterAll, describe, expect, test } from '@jest/globals';
import { toWorkspaceId, toThread } from '../../../../shared/platforms/discord/index.ts';
import { GENERAL, GUILD, HANGOUT, startDiscordSimulator } from '../../../simulators/discord/index.ts';
import { closeAll, discordWithDeniedPermissions } from '../denied-permissions.ts';
import { discord, onDiscord, side } from '../on-discord.ts';
import { discordUnderTest } from '../discord-under-test.ts';

onDiscord();
afterAll(closeAll);

const CHANNEL = { ...toThread(GUILD, GENERAL, GENERAL), root: undefined };

test('a message without a thread is read with the message it replies to', async () => {
  const plan = discord.core.say('ada', 'We meet on Monday.');
  const reply = discord.core.say('grace', 'Why?', { replyTo: plan });
  const read = await side.platform.readHistory(toThread(GUILD, GENERAL, reply), { maxMessages: 100 });
  expect(read.messages.map(({ author, text }) => [author, text])).toEqual([
    ['Ada Lovelace', 'We meet on Monday.'],
    ['Grace Hopper', 'Why?'],
  ]);
  expect(read.messages.map(({ link }) => link)).toEqual(
    [plan, reply].map((id) => `https://discord.com/channels/${GUILD}/${GENERAL}/${id}`),
  );
  discord.core.remove('grace', reply);
  const history = side.platform.readHistory(toThread(GUILD, GENERAL, reply), { maxMessages: 100 });
  await expect(history).rejects.toMatchObject({ name: 'HistoryUnavailableError', reason: 'no-thread' });
});

test('messages are read with their files', async () => {
  discord.core.say('ada', 'Hello.');
  const files = [{ name: 'a.mp3', content: Buffer.from('1234567'), contentType: 'audio/mpeg' }];
  discord.core.say('ada', '', { files });
  const { messages } = await side.platform.readHistory(CHANNEL, { maxMessages: 2 });
  expect(messages).toMatchObject([
    { text: 'Hello.', attachments: [] },
    { text: '(with a.mp3)', attachments: [{ name: 'a.mp3', mimetype: 'audio/mpeg', bytes: 7 }] },
  ]);
  const minutes = { name: '議事録.pdf', content: Buffer.from('x'), contentType: 'application/pdf' };
  discord.core.say('ada', '', { files: [minutes] });
  const later = await side.platform.readHistory(CHANNEL, { maxMessages: 1 });
  expect(later.messages).toMatchObject([
    { text: '(with 議事録.pdf)', attachments: [{ name: '議事録.pdf' }] },
  ]);
});

test('a forwarded message is read as a quotation, with the names of its files', async () => {
  const files = [{ name: 'a.pdf', content: Buffer.from('1'), contentType: 'application/pdf' }];
  const plan = discord.core.say('ada', 'We meet on Monday.\nAt nine.', { channel: HANGOUT, files });
  discord.core.forward('grace', plan, GENERAL);
  const { messages, withoutText } = await side.platform.readHistory(CHANNEL, { maxMessages: 2 });
  expect(messages).toMatchObject([
    { author: 'Grace Hopper', text: '> We meet on Monday.\n> At nine. (with a.pdf)' },
  ]);
  expect(withoutText).toBe(0);
});

test('what other apps write in embeds is read, beside their words', async () => {
  const embeds = [{ title: 'Build 7 failed' }];
  discord.core.postAsOtherApp('CI', { channel: GENERAL, text: 'On main:', embeds });
  discord.core.postAsOtherApp('CI', { channel: GENERAL, embeds });
  const { messages, withoutText } = await side.platform.readHistory(CHANNEL, { maxMessages: 2 });
  expect(messages.map(({ text }) => text)).toEqual(['On main:\n\nBuild 7 failed', 'Build 7 failed']);
  expect(withoutText).toBe(0);
});

/** A person writes in the channel, optionally as a reply. */
const say = (by: string, text: string, replyTo?: string) =>
  discord.core.say(by, text, replyTo === undefined ? {} : { replyTo });

test('a message without a thread is read with its whole chain of replies, from any message of it', async () => {
  const first = say('ada', 'Where do we meet?');
  say('grace', 'Something else.');
  const second = say('grace', 'At the lighthouse.', first);
  const third = say('ada', 'When?', second);
  const other = say('grace', 'Or at the pier.', first);
  for (let n = 0; n < 120; n += 1) say('ada', `Talk ${n}.`);
  const last = say('grace', 'At noon.', third);
  for (const chosen of [first, third, last]) {
    const read = await side.platform.readHistory(toThread(GUILD, GENERAL, chosen), { maxMessages: 3_000 });
    expect(read.messages.map(({ id }) => id)).toEqual([first, second, third, other, last]);
    expect(read.incomplete).toBeUndefined();
  }
  discord.core.remove('grace', second);
  const read = await side.platform.readHistory(toThread(GUILD, GENERAL, last), { maxMessages: 3_000 });
  expect(read.messages.map(({ id }) => id)).toEqual([third, last]);
});

test('a thread starts with its starter message, whose link has the parent channel', async () => {
  const root = discord.core.say('ada', 'Shall we?');
  const thread = discord.core.thread('ada', root, 'A thread');
  discord.core.say('grace', 'Yes, <@101000000000000001>.', { channel: thread });
  const read = await side.platform.readHistory(toThread(GUILD, GENERAL, thread), { maxMessages: 100 });
  expect(read.messages.map(({ link }) => link)).toEqual([
    `https://discord.com/channels/${GUILD}/${GENERAL}/${root}`,
    expect.stringContaining(`https://discord.com/channels/${GUILD}/${thread}/`),
  ]);
});

describe('unreadable history', () => {
  test('because of a missing permission names the permission', async () => {
    const { platform, ask } = await discordWithDeniedPermissions(['ReadMessageHistory']);
    const { thread } = ask('hello');
    for (const place of [thread, { ...thread, root: undefined }])
      await expect(platform.readHistory(place, { maxMessages: 10 })).rejects.toMatchObject({
        name: 'HistoryUnavailableError',
        reason: 'no-permission',
        permissions: 'Read Message History',
      });
  });

  test('is reported for a channel that the bot cannot see', async () => {
    const { platform, ask } = await discordWithDeniedPermissions(['ViewChannel']);
    const { thread } = ask('hello');
    const read = platform.readHistory({ ...thread, root: undefined }, { maxMessages: 10 });
    await expect(read).rejects.toMatchObject({ reason: 'no-permission', permissions: 'View Channel' });
  });

  test('is reported for a guild without the bot', async () => {
    const elsewhere = {
      ...CHANNEL,
      workspace: toWorkspaceId('299000000000000001'),
      channel: CHANNEL.channel,
    };
    const route = 'GET /channels/{channel_id}/messages';
    discord.faults.add({ route, kind: 'refuse', code: 50_001 });
    const read = side.platform.readHistory(elsewhere, { maxMessages: 10 });
    await expect(read).rejects.toMatchObject({ reason: 'not-member' });
  });

  test('without the intent Message Content counts the messages without text', async () => {
    const simulator = await startDiscordSimulator({ identity: { messageContent: false } });
    const { platform } = discordUnderTest(simulator);
    simulator.core.say('ada', 'among us');
    await expect(platform.readHistory(CHANNEL, { maxMessages: 10 })).rejects.toMatchObject({
      reason: 'wordless',
    });
    simulator.core.say('grace', '@parley hello');
    const read = await platform.readHistory(CHANNEL, { maxMessages: 10 });
    expect(read).toMatchObject({ messages: [{ text: 'hello' }], withoutText: 1 });
    await simulator.close();
  });
});

test('a message with a file names the file', async () => {
  const files = [{ name: 'plan.pdf', content: Buffer.from('x'), contentType: 'application/pdf' }];
  const plan = discord.core.say('ada', 'Here.', { files });
  const read = await side.platform.readHistory(toThread(GUILD, GENERAL, plan), { maxMessages: 100 });
  expect(read.messages.map(({ text }) => text)).toEqual(['Here. (with plan.pdf)']);
});
