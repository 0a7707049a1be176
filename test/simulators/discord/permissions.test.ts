import { afterEach, describe, expect, test } from '@jest/globals';
import { Routes } from 'discord-api-types/v10';
import * as v from 'valibot';
import { BOT_PERMISSIONS, CHANNEL, PERMISSION, PERSON_PERMISSIONS } from './flags.ts';
import { ADA, DEFAULT_IDENTITY, GENERAL, GUILD, HANGOUT } from './identity.ts';
import { permissionsIn } from './permissions.ts';
import { setUp, tearDown } from './harness.ts';
import type { Channel, Guild } from './state.ts';
import type { Dispatch } from './context.ts';

afterEach(tearDown);

const bits = (...of: readonly bigint[]): string => String(of.reduce((all, one) => all | one, 0n));

/** A simulator with a changed guild and channels, and a question of Ada in the channel. */
async function harness(inChannel: Partial<Channel> = {}, inGuild: Partial<Guild> = {}, channel = GENERAL) {
  const up = await setUp({
    identity: {
      guilds: DEFAULT_IDENTITY.guilds.map((one) => (one.id === GUILD ? { ...one, ...inGuild } : one)),
      channels: DEFAULT_IDENTITY.channels.map((one) => (one.id === channel ? { ...one, ...inChannel } : one)),
    },
  });
  const dispatches: Dispatch[] = [];
  up.core.onDispatch((dispatch) => void dispatches.push(dispatch));
  const question = up.core.say('ada', 'why?', { channel });
  return { ...up, dispatches, question, channel };
}

const deny = (...permissions: readonly bigint[]): Partial<Channel> => ({ denied: bits(...permissions) });
const ENDED = { content: 'x', attachments: [{ id: '0', filename: 'a.txt' }] };
const FILES = [{ name: 'a.txt', data: Buffer.from('x') }];

type Harness = Awaited<ReturnType<typeof harness>>;
const CALLS = {
  'read the channel': ({ rest, channel }: Harness) => rest.get(Routes.channel(channel)),
  'read a message': ({ rest, channel, question }: Harness) =>
    rest.get(Routes.channelMessage(channel, question)),
  'list messages': ({ rest, channel }: Harness) => rest.get(Routes.channelMessages(channel)),
  post: ({ rest, channel }: Harness) =>
    rest.post(Routes.channelMessages(channel), { body: { content: 'x' } }),
  reply: ({ rest, channel, question }: Harness) =>
    rest.post(Routes.channelMessages(channel), {
      body: { content: 'x', message_reference: { message_id: question, fail_if_not_exists: false } },
    }),
  'send a file': ({ rest, channel }: Harness) =>
    rest.post(Routes.channelMessages(channel), { body: ENDED, files: FILES }),
  'open a thread': ({ rest, channel, question }: Harness) =>
    rest.post(Routes.threads(channel, question), { body: { name: 'Why' } }),
  react: ({ rest, channel, question }: Harness) =>
    rest.put(Routes.channelMessageOwnReaction(channel, question, '👀')),
  type: ({ rest, channel }: Harness) => rest.post(Routes.channelTyping(channel)),
} as const;
type Deed = keyof typeof CALLS;

/** The requests that are refused without a permission, with their codes; all others succeed. */
const REFUSED: readonly (readonly [name: string, bigint, Partial<Record<Deed, number>>])[] = [
  [
    'View Channel',
    PERMISSION.viewChannel,
    {
      'read the channel': 50001,
      'read a message': 50001,
      'list messages': 50001,
      post: 50001,
      reply: 50001,
      'send a file': 50001,
      'open a thread': 50001,
      react: 50001,
      type: 50001,
    },
  ],
  [
    'Read Message History',
    PERMISSION.readHistory,
    { 'read a message': 50013, reply: 160002, 'open a thread': 50013, react: 50013 },
  ],
  [
    'Send Messages',
    PERMISSION.sendMessages,
    { post: 50013, reply: 50013, 'send a file': 50013, type: 50013 },
  ],
  ['Attach Files', PERMISSION.attachFiles, { 'send a file': 50013 }],
  ['Create Public Threads', PERMISSION.createPublicThreads, { 'open a thread': 50013 }],
  ['Add Reactions', PERMISSION.addReactions, { react: 50013 }],
];

const outcome = (call: Promise<unknown>): Promise<number | undefined> =>
  call.then(
    () => undefined,
    (error: unknown) => v.parse(v.object({ code: v.number() }), error).code,
  );

describe('without a permission', () => {
  test.each(REFUSED)('%s', async (_, permission, expected) => {
    const up = await harness(deny(permission));
    const counts: Partial<Record<string, number>> = {};
    for (const [name, call] of Object.entries(CALLS)) {
      const code = await outcome(call(up));
      if (code !== undefined) counts[name] = code;
    }
    expect(counts).toEqual(expected);
  });

  test('Read Message History: a list of messages is empty', async () => {
    const { rest } = await harness(deny(PERMISSION.readHistory));
    expect(await rest.get(Routes.channelMessages(GENERAL))).toEqual([]);
  });

  test('Connect: the chat of a voice channel is inaccessible, the channel is not', async () => {
    const up = await harness(deny(PERMISSION.connect), {}, HANGOUT);
    expect(await outcome(CALLS['read a message'](up))).toBe(50001);
    expect(await outcome(CALLS['list messages'](up))).toBe(50001);
    expect(await outcome(CALLS.post(up))).toBe(50001);
    expect(await outcome(CALLS['read the channel'](up))).toBeUndefined();
    expect(await outcome(CALLS.post(await harness(deny(PERMISSION.connect))))).toBeUndefined();
  });

  test("Send Messages in Threads: the permission of the thread's channel does not replace it", async () => {
    const up = await harness(deny(PERMISSION.sendInThreads));
    await CALLS['open a thread'](up);
    const thread = { ...up, channel: up.question };
    expect(await outcome(CALLS.post(thread))).toBe(50013);
    expect(await outcome(CALLS['send a file'](thread))).toBe(50013);
    expect(await outcome(CALLS.post(up))).toBeUndefined();
    const quiet = await harness(deny(PERMISSION.sendMessages));
    await CALLS['open a thread'](quiet);
    expect(await outcome(CALLS['send a file']({ ...quiet, channel: quiet.question }))).toBeUndefined();
  });

  test('Embed Links: embeds are removed, and a message of embeds only is refused', async () => {
    const { rest } = await harness(deny(PERMISSION.embedLinks));
    const post = (body: object) => rest.post(Routes.channelMessages(GENERAL), { body });
    expect(await post({ content: 'x', embeds: [{ title: 'y' }] })).toMatchObject({ embeds: [] });
    expect(await outcome(post({ embeds: [{ title: 'y' }] }))).toBe(50013);
  });

  test('any: a voice channel has no threads', async () => {
    expect(await outcome(CALLS['open a thread'](await harness({}, {}, HANGOUT)))).toBe(50024);
  });
});

test('an archived thread is unarchived by anybody who may write in it; a locked one by moderators only', async () => {
  const up = await harness();
  const thread = up.core.thread('ada', up.question, 'Why');
  const wake = () => outcome(up.rest.patch(Routes.channel(thread), { body: { archived: false } }));
  up.core.close(thread, { archived: true });
  expect(await wake()).toBeUndefined();
  up.core.close(thread, { archived: true, locked: true });
  expect(await wake()).toBe(50013);
});

/** An overwrite of a channel. */
const at = (id: string, type: number, allow: bigint, denied: bigint) => ({
  id,
  type,
  allow: String(allow),
  deny: String(denied),
});

describe('permissions are computed as Discord documents', () => {
  const SECRETARY = '701000000000000009';
  const MINE = DEFAULT_IDENTITY.applicationId;
  const roles = [{ id: SECRETARY, name: 'Secretary', permissions: '0', members: [MINE] }];
  const { sendMessages: send, attachFiles: attach } = PERMISSION;
  const within = async (
    overwrites: NonNullable<Channel['overwrites']>,
    guild: Partial<Guild> = { roles },
  ) => {
    const { core } = await harness({ overwrites }, guild);
    const channel = core.state.channels.get(GENERAL);
    if (!channel) throw new Error('there is no channel');
    return permissionsIn(core.context, channel) & (send | attach);
  };

  test.each([
    ['everyone is denied', [at(GUILD, 0, 0n, send)], 0n],
    [
      'a role is allowed what everyone is denied',
      [at(GUILD, 0, 0n, send), at(SECRETARY, 0, send, 0n)],
      send | attach,
    ],
    [
      'a role is denied what everyone is allowed',
      [at(GUILD, 0, attach, 0n), at(SECRETARY, 0, 0n, attach)],
      send,
    ],
    [
      'the member is allowed what a role is denied',
      [at(SECRETARY, 0, 0n, send), at(MINE, 1, send, 0n)],
      send | attach,
    ],
    [
      'the member is denied what a role is allowed',
      [at(SECRETARY, 0, attach, 0n), at(MINE, 1, 0n, attach)],
      send,
    ],
    ['a role of others does not count', [at('701000000000000008', 0, 0n, send)], send | attach],
    ['who may not write may not attach', [at(MINE, 1, attach, send)], 0n],
  ])('%s', async (_, overwrites, expected) => {
    expect(await within(overwrites)).toBe(expected);
  });

  test('overwrites do not apply to an administrator; a person in timeout may at most read', async () => {
    const admin = roles.map((role) => ({ ...role, permissions: String(PERMISSION.administrator) }));
    expect(await within([at(MINE, 1, 0n, send)], { roles: admin })).toBe(send | attach);
    const botTimedOutUntil = Date.now() * 2;
    expect(await within([], { botTimedOutUntil })).toBe(0n);
    expect(await within([], { botTimedOutUntil, roles: admin })).toBe(send | attach);
  });

  test('the guild, its members and its channels contain the permissions', async () => {
    const { rest } = await harness({ overwrites: [at(SECRETARY, 0, 0n, attach)], denied: '64' }, { roles });
    const guildSchema = v.object({ roles: v.array(v.object({ id: v.string(), permissions: v.string() })) });
    const guild = v.parse(guildSchema, await rest.get(Routes.guild(GUILD)));
    const member = v.parse(
      v.object({ roles: v.array(v.string()) }),
      await rest.get(Routes.guildMember(GUILD, MINE)),
    );
    const own = guild.roles.find(({ id }) => id === member.roles[0]);
    expect(own?.permissions).toBe(String(BOT_PERMISSIONS));
    expect(guild.roles.find(({ id }) => id === GUILD)?.permissions).toBe(String(PERSON_PERMISSIONS));
    expect(member.roles).toContain(SECRETARY);
    expect(await rest.get(Routes.channel(GENERAL))).toMatchObject({
      permission_overwrites: [at(SECRETARY, 0, 0n, attach), { id: MINE, type: 1, allow: '0', deny: '64' }],
    });
  });
});

describe('a channel that the bot may not see', () => {
  test('has no gateway events, no threads and no name', async () => {
    const { core, dispatches, question } = await harness(deny(PERMISSION.viewChannel));
    core.thread('ada', question, 'Why', 'well?');
    expect(dispatches).toEqual([]);
    const [guild] = core.ready().guilds;
    const channels = v.parse(
      v.array(v.object({ id: v.string(), name: v.string(), flags: v.number() })),
      guild?.d['channels'],
    );
    expect(channels.find(({ id }) => id === GENERAL)).toMatchObject({ name: '___hidden___', flags: 131_072 });
    expect(guild?.d['threads']).toEqual([]);
  });

  test('does not hide other channels', async () => {
    const { core, dispatches } = await harness(deny(PERMISSION.viewChannel));
    core.say('ada', 'hello', { channel: HANGOUT });
    expect(dispatches.map(({ t }) => t)).toEqual(['MESSAGE_CREATE']);
    expect(core.userNamed('ada').id).toBe(ADA);
  });
});

test('a thread of an announcement channel has its own type', async () => {
  const up = await harness({ type: CHANNEL.news });
  expect(await CALLS['open a thread'](up)).toMatchObject({ type: CHANNEL.newsThread });
});
