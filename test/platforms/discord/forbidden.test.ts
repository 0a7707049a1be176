import { afterEach, describe, expect, test } from '@jest/globals';
import { ChannelType, PermissionFlagsBits } from 'discord-api-types/v10';
import { readId, readString } from '../../../shared/platforms/discord/api/json-path.ts';
import { type PermissionName, PERMISSIONS } from '../../../shared/platforms/discord/lookup/permissions.ts';
import { ThreadDeletedError } from '../../../shared/platforms/ports/index.ts';
import { ADA, GENERAL, GUILD, HANGOUT } from '../../simulators/discord/index.ts';
import {
  permissionBits,
  closeAll,
  fileNames,
  FORUM,
  discordWithDeniedPermissions,
} from './denied-permissions.ts';

afterEach(closeAll);

test('the permission bits equal those of Discord', () => {
  for (const [name, { bit }] of Object.entries(PERMISSIONS))
    expect([name, bit]).toEqual([name, Reflect.get(PermissionFlagsBits, name)]);
});

describe('the answer is posted where the bot may write', () => {
  test('without Read Message History: in the channel with its question above it, since it cannot be a reply', async () => {
    const { ask, reply, texts, lastMessage, direct, threads } = await discordWithDeniedPermissions([
      'ReadMessageHistory',
    ]);
    await reply(ask('why is the sky blue?'), 'why is the sky blue?').publish('Because.');
    expect(texts(GENERAL)).toEqual(['> why is the sky blue?\nBecause.']);
    expect(lastMessage(GENERAL)[0]).not.toHaveProperty('message_reference');
    expect([...direct(), ...threads()]).toEqual([]);
  });

  test('without Read Message History, where Discord allows a thread: in a thread named after the question', async () => {
    const { ask, reply, texts, core, faults, calls } = await discordWithDeniedPermissions([]);
    faults.add({ kind: 'refuse', code: 50001, route: 'GET /channels/{channel_id}/messages/{message_id}' });
    const turn = ask('why is the sky blue?');
    await reply(turn, 'why is the sky blue?').publish('Because.');
    expect(texts(turn.message)).toEqual(['Because.']);
    expect(core.state.channels.get(turn.message)?.name).toBe('why is the sky blue?');
    expect(calls.filter(({ route }) => route.startsWith('GET /channels/{channel_id}/messages'))).toHaveLength(
      1,
    );
  });

  test.each([160_002, 160_009])(
    'when permissions are unknown: as Discord’s refusal (%i) of the reply requires',
    async (code) => {
      const { ask, reply, texts, faults, calls } = await discordWithDeniedPermissions([
        'CreatePublicThreads',
      ]);
      faults.add({
        kind: 'status',
        status: 502,
        route: 'GET /guilds/{guild_id}/members/{user_id}',
        times: 9,
      });
      faults.add({ kind: 'refuse', code, route: 'POST /channels/{channel_id}/messages' });
      const streamed = reply(ask('why?'), 'why?');
      streamed.write('Because.');
      await streamed.publish('Because.');
      expect(texts(GENERAL)).toEqual(['> why?\nBecause.']);
      expect(calls.filter(({ outcome }) => outcome === 'refuse')).toHaveLength(1);
    },
  );

  test.each([
    ['Send Messages in Threads', 'SendMessagesInThreads'],
    ['Create Public Threads', 'CreatePublicThreads'],
  ] as const)(
    'without %s: as a reply in the channel, and no empty thread is opened',
    async (name, denied) => {
      const { ask, reply, lastMessage, threads, logged, calls } = await discordWithDeniedPermissions([
        denied,
      ]);
      const turn = ask('why?');
      await reply(turn).publish('Because.');
      expect(lastMessage(GENERAL)).toMatchObject([
        { content: 'Because.', message_reference: { message_id: turn.message } },
      ]);
      expect(threads()).toEqual([]);
      expect(calls.some(({ route }) => route.endsWith('/threads'))).toBe(false);
      expect(logged('discord.thread-not-created')).toEqual([{ channel: GENERAL, missing: name }]);
    },
  );

  test.each([160_006, 160_007, 200_000, 200_001])(
    'where Discord accepts no more threads, or not the name of this one (%i): as a reply in the channel',
    async (code) => {
      const { ask, reply, lastMessage, logged, faults } = await discordWithDeniedPermissions([]);
      faults.add({
        kind: 'refuse',
        code,
        route: 'POST /channels/{channel_id}/messages/{message_id}/threads',
      });
      const turn = ask('why?');
      await reply(turn).publish('Because.');
      expect(lastMessage(GENERAL)).toMatchObject([
        { content: 'Because.', message_reference: { message_id: turn.message } },
      ]);
      expect(logged('discord.thread-not-created')).toEqual([
        { channel: GENERAL, reason: expect.stringContaining(String(code)) },
      ]);
    },
  );

  test('without Send Messages: in the thread, which needs another permission', async () => {
    const { ask, reply, texts } = await discordWithDeniedPermissions(['SendMessages']);
    const turn = ask('why?');
    await reply(turn).publish('Because.');
    expect(texts(turn.message)).toEqual(['Because.']);
  });

  test.each([
    ['voice', ChannelType.GuildVoice],
    ['stage', ChannelType.GuildStageVoice],
  ])('in the chat of a %s channel: as a reply, since there are no threads', async (_, type) => {
    const { ask, reply, lastMessage, calls } = await discordWithDeniedPermissions([], HANGOUT, { type });
    const turn = ask('why?');
    await reply(turn).publish('Because.');
    expect(lastMessage(HANGOUT)).toMatchObject([
      { content: 'Because.', message_reference: { message_id: turn.message } },
    ]);
    expect(calls.some(({ route }) => route.endsWith('/threads'))).toBe(false);
  });

  test('in a forum without Read Message History: in the thread of the post', async () => {
    const { core, reply, turnOf, texts } = await discordWithDeniedPermissions(['ReadMessageHistory'], FORUM);
    const post = core.thread('ada', FORUM, 'Colours', 'why is the sky blue?');
    const [first] = core.messages(post);
    await reply(turnOf(readId(first, 'id') ?? '', post), 'why is the sky blue?').publish('Because.');
    // The question is the first message there.
    expect(texts(post)).toEqual(['Because.']);
  });

  test('in an archived thread of any owner: it is unarchived', async () => {
    const { core, ask, platform, reply, texts } = await discordWithDeniedPermissions([]);
    const turn = ask('why?');
    core.thread('ada', turn.message, 'Why');
    const [id] = await reply(turn).publish('Because.');
    core.close(turn.message, { archived: true });
    expect(await platform.reply(turn, id ? [id] : []).publish('Because it is.')).toEqual([id]);
    expect(texts(turn.message)).toEqual(['Because it is.']);
    expect(core.state.channels.get(turn.message)?.archived).toBe(false);
  });
});

describe('where the bot may not write, the answer goes to the asker in a direct message', () => {
  const FORBIDDEN: readonly (readonly [
    name: string,
    denied: readonly PermissionName[],
    missing: string,
    channel: string,
  ])[] = [
    ['no writing at all', ['SendMessages', 'SendMessagesInThreads'], 'Send Messages', GENERAL],
    ['no seeing', ['ViewChannel'], 'View Channel', GENERAL],
    ['a voice channel that it may not join', ['Connect'], 'Connect', HANGOUT],
    ['nothing in a forum', ['SendMessagesInThreads'], 'Send Messages in Threads', FORUM],
  ];
  test.each(FORBIDDEN)(
    '%s: with the missing permission, which is logged too',
    async (_, denied, missing, channel) => {
      const { core, ask, reply, turnOf, lastMessage, direct, logged, threads } =
        await discordWithDeniedPermissions(denied, channel);
      const posted = channel === FORUM ? core.thread('ada', FORUM, 'Colours', 'why?') : undefined;
      const turn =
        posted === undefined ? ask('why?') : turnOf(readId(core.messages(posted)[0], 'id') ?? '', posted);
      await expect(reply(turn, 'why?').publish('Because.')).rejects.toBeInstanceOf(ThreadDeletedError);
      const at = posted ?? channel;
      expect(lastMessage(at)).toEqual([]);
      const text = readString(direct()[0], 'content') ?? '';
      expect(text).toContain(`<#${at}>`);
      expect(text).toContain(`“${missing}”`);
      expect(text).toContain(`https://discord.com/channels/${GUILD}/${at}/${turn.message}`);
      expect(text).toMatch(/\nBecause\.$/u);
      expect(direct()).toHaveLength(1);
      expect(logged('discord.forbidden')).toMatchObject([
        { channel: at, missing, answered: 'direct-message' },
      ]);
      expect(threads()).toHaveLength(posted === undefined ? 0 : 1);
    },
  );

  test('a locked thread: with the reason that it is locked', async () => {
    const { core, ask, reply, texts, direct, logged } = await discordWithDeniedPermissions([]);
    const turn = ask('why?');
    await reply(turn).publish('Because.');
    core.close(turn.message, { archived: true, locked: true });
    await expect(reply(turn).publish('More.')).rejects.toBeInstanceOf(ThreadDeletedError);
    expect(texts(turn.message)).toEqual(['Because.']);
    expect(readString(direct()[0], 'content')).toMatch(/is locked.*\nMore\.$/u);
    expect(logged('discord.forbidden')).toMatchObject([{ missing: 'Manage Threads' }]);
  });

  test('a permission that is removed during the answer: the first words stay, and the complete answer is sent', async () => {
    const { core, ask, reply, direct, texts } = await discordWithDeniedPermissions([]);
    const turn = ask('why?');
    const writing = reply(turn);
    writing.write('Because');
    await writing.posted();
    const channel = core.state.channels.get(GENERAL);
    if (!channel) throw new Error('there is no channel');
    core.state.channels.set(GENERAL, { ...channel, denied: permissionBits(['ViewChannel']) });
    await expect(writing.publish('Because it is.')).rejects.toBeInstanceOf(ThreadDeletedError);
    expect(readString(direct()[0], 'content')).toMatch(/\nBecause it is\.$/u);
    expect(texts(turn.message)).toEqual(['Because']);
  });

  test('an answer of any length, once: a redelivery sends nothing more', async () => {
    const { ask, reply, direct } = await discordWithDeniedPermissions([
      'SendMessages',
      'SendMessagesInThreads',
    ]);
    const turn = ask('why?');
    const long = Array.from({ length: 400 }, (_, i) => `Line ${i} of what is to be said.`).join('\n');
    for (const _ of [1, 2])
      await expect(reply(turn).publish(long)).rejects.toBeInstanceOf(ThreadDeletedError);
    expect(direct()).toHaveLength(5);
    expect(direct().flatMap(fileNames)).toEqual(['answer.md']);
    const all = direct()
      .map((one) => readString(one, 'content'))
      .join('\n');
    expect(all.match(/Line 0 of/gu)).toHaveLength(1);
  });

  test('an asker who accepts no direct messages: the missing permission is logged', async () => {
    const { core, ask, reply, logged } = await discordWithDeniedPermissions([
      'SendMessages',
      'SendMessagesInThreads',
    ]);
    core.state.users.set(ADA, { ...core.userNamed('ada'), closed: true });
    await expect(reply(ask('why?')).publish('Because.')).rejects.toBeInstanceOf(ThreadDeletedError);
    expect(logged('discord.forbidden')).toMatchObject([
      {
        channel: GENERAL,
        missing: 'Send Messages',
        answered: 'nowhere',
        direct: expect.stringContaining('50007'),
      },
    ]);
  });

  test('a deleted question is answered nowhere', async () => {
    const { core, ask, reply, direct } = await discordWithDeniedPermissions([]);
    const turn = ask('why?');
    core.remove('ada', turn.message);
    await expect(reply(turn).publish('Because.')).rejects.toBeInstanceOf(ThreadDeletedError);
    expect(direct()).toEqual([]);
  });
});
