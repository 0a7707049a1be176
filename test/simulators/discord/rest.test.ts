import { afterEach, describe, expect, test } from '@jest/globals';
import {
  ActionRowBuilder,
  ButtonBuilder,
  ButtonStyle,
  ChannelType,
  type MessageActionRowComponentBuilder,
  Routes,
  TextDisplayBuilder,
} from 'discord.js';
import * as v from 'valibot';
import { ADA, GENERAL, GUILD, LOUNGE } from './identity.ts';
import { setUp, tearDown } from './harness.ts';

afterEach(tearDown);

const messageShape = v.object({
  id: v.string(),
  content: v.string(),
  flags: v.number(),
  channel_id: v.string(),
  mentions: v.array(v.object({ id: v.string() })),
  attachments: v.array(
    v.object({
      id: v.string(),
      filename: v.string(),
      url: v.string(),
      size: v.number(),
      duration_secs: v.optional(v.number()),
    }),
  ),
  edited_timestamp: v.nullable(v.string()),
});
const message = (value: unknown) => v.parse(messageShape, value);
const messages = (value: unknown) => v.parse(v.array(messageShape), value);
const text = (length: number, letter: string) => [
  new TextDisplayBuilder().setContent(letter.repeat(length)).toJSON(),
];
const PARSE = { allowed_mentions: { parse: [] } };

describe('the real REST client of discord.js', () => {
  test('posts, edits, reads and deletes a message', async () => {
    const { rest } = await setUp();
    const row = new ActionRowBuilder<MessageActionRowComponentBuilder>().addComponents(
      new ButtonBuilder().setCustomId('stop').setLabel('Stop').setStyle(ButtonStyle.Secondary),
    );
    const body = { content: `Hi <@${ADA}>`, components: [row.toJSON()], ...PARSE };
    const posted = message(await rest.post(Routes.channelMessages(GENERAL), { body }));
    expect(posted).toMatchObject({ content: `Hi <@${ADA}>`, mentions: [], edited_timestamp: null });
    const edited = await rest.patch(Routes.channelMessage(GENERAL, posted.id), { body: { content: 'Bye' } });
    expect(message(edited)).toMatchObject({ content: 'Bye' });
    expect(message(edited).edited_timestamp).toMatch(/^2026-01-05T09/);
    expect(messages(await rest.get(Routes.channelMessages(GENERAL)))).toHaveLength(1);
    await rest.delete(Routes.channelMessage(GENERAL, posted.id));
    await expect(rest.get(Routes.channelMessage(GENERAL, posted.id))).rejects.toMatchObject({
      status: 404,
      code: 10008,
    });
  });

  test('sends files, whose URLs expire and are renewed with the message', async () => {
    const { rest, clock, simulator } = await setUp();
    const files = [{ name: 'a b.txt', data: Buffer.from('words'), contentType: 'text/plain' }];
    const body = { content: 'see', attachments: [{ id: '0', description: 'd' }] };
    const posted = message(await rest.post(Routes.channelMessages(GENERAL), { body, files }));
    const [file] = posted.attachments;
    expect(file).toMatchObject({ filename: 'a_b.txt', size: 5 });
    expect(await (await fetch(file?.url ?? '')).text()).toBe('words');
    expect((await fetch((file?.url ?? '').replace(/hm=./, 'hm=z'))).status).toBe(404);
    clock.advance(86_400_000);
    expect((await fetch(file?.url ?? '')).status).toBe(404);
    const again = message(await rest.get(Routes.channelMessage(GENERAL, posted.id)));
    expect((await fetch(again.attachments[0]?.url ?? '')).status).toBe(200);
    expect(simulator.calls.map(({ route, outcome }) => [route, outcome])).toContainEqual([
      'GET /attachments',
      404,
    ]);
  });

  test.each([
    [false, 400],
    [true, 200],
  ])(
    'fields that Discord ignores, ignored: %s, give %s; other violations are refused',
    async (ignoresUnknownFields, status) => {
      const { rest } = await setUp({ ignoresUnknownFields });
      const { id } = message(await rest.post(Routes.channelMessages(GENERAL), { body: { content: 'a' } }));
      const edit = async (body: object): Promise<number> =>
        rest.patch(Routes.channelMessage(GENERAL, id), { body }).then(
          () => 200,
          (error: unknown) => v.parse(v.object({ status: v.number() }), error).status,
        );
      expect(await edit({ content: 'b', tts: false, enforce_nonce: false })).toBe(status);
      expect(await edit({ content: 'b'.repeat(2_001), tts: false })).toBe(400);
    },
  );

  test('gets the same message for the same nonce', async () => {
    const { rest, clock } = await setUp();
    const body = { content: 'once', nonce: '42', enforce_nonce: true };
    const post = async () => message(await rest.post(Routes.channelMessages(GENERAL), { body })).id;
    const first = await post();
    expect(await post()).toBe(first);
    clock.advance(300_000);
    expect(await post()).not.toBe(first);
    expect(await rest.post(Routes.channelMessages(GENERAL), { body })).toMatchObject({ nonce: '42' });
    expect(JSON.stringify(await rest.get(Routes.channelMessages(GENERAL)))).not.toContain('nonce');
  });

  test('lists messages before, after and around another', async () => {
    const { rest, core } = await setUp();
    const ids = ['a', 'b', 'c', 'd', 'e'].map((words) => core.say('ada', words));
    const list = async (query: Record<string, string>) => {
      const results = await rest.get(Routes.channelMessages(GENERAL), { query: new URLSearchParams(query) });
      return messages(results)
        .map(({ content }) => content)
        .join('');
    };
    expect(await list({})).toBe('edcba');
    expect(await list({ limit: '2' })).toBe('ed');
    expect(await list({ before: ids[2] ?? '', limit: '1' })).toBe('b');
    expect(await list({ after: ids[1] ?? '', limit: '2' })).toBe('dc');
    expect(await list({ around: ids[2] ?? '', limit: '3' })).toBe('dcb');
    await expect(list({ limit: '101' })).rejects.toMatchObject({ code: 50035 });
  });

  test('starts threads, which unarchive on a new message unless they are locked', async () => {
    const { rest, core, clock } = await setUp();
    const question = core.say('ada', 'why?');
    const body = { name: 'Why', auto_archive_duration: 60 };
    await rest.post(Routes.threads(GENERAL, question), { body });
    await expect(rest.post(Routes.threads(GENERAL, question), { body })).rejects.toMatchObject({
      code: 160004,
    });
    const archived = async () => {
      const response: unknown = await rest.get(Routes.channel(question));
      return v.parse(v.object({ thread_metadata: v.object({ archived: v.boolean() }) }), response)
        .thread_metadata.archived;
    };
    clock.advance(3_600_000);
    expect(await archived()).toBe(true);
    await rest.post(Routes.channelMessages(question), { body: { content: 'because' } });
    expect(await archived()).toBe(false);
    core.close(question, { archived: true, locked: true });
    core.context.state.guilds.set(GUILD, {
      ...(core.state.guilds.get(GUILD) ?? fail()),
      denied: String(1n << 34n),
    });
    const late = rest.post(Routes.channelMessages(question), { body: { content: 'too late' } });
    await expect(late).rejects.toMatchObject({ code: 50083 });
    core.close(question, { archived: false, locked: true });
    const locked = rest.post(Routes.channelMessages(question), { body: { content: 'too late' } });
    await expect(locked).rejects.toMatchObject({ code: 160005 });
    const alone: unknown = await rest.post(Routes.threads(GENERAL), { body: { name: 'Alone' } });
    expect(alone).toMatchObject({ type: ChannelType.PrivateThread, parent_id: GENERAL });
  });

  test('adds reactions, sends typing, opens DMs and reads its own user', async () => {
    const { rest, core, simulator } = await setUp();
    const id = core.say('ada', 'hi');
    await rest.put(Routes.channelMessageOwnReaction(GENERAL, id, encodeURIComponent('👀')));
    expect(core.message(id).reactions).toEqual([{ emoji: '👀', users: [simulator.applicationId] }]);
    await rest.delete(Routes.channelMessageOwnReaction(GENERAL, id, encodeURIComponent('👀')));
    expect(core.message(id).reactions).toEqual([]);
    const wrong = rest.put(Routes.channelMessageOwnReaction(GENERAL, id, 'words'));
    await expect(wrong).rejects.toMatchObject({ code: 10014 });
    await rest.post(Routes.channelTyping(GENERAL));
    expect(core.state.typing.get(GENERAL)?.size).toBe(1);
    expect(await rest.post(Routes.userChannels(), { body: { recipient_id: ADA } })).toMatchObject({
      id: core.dm('ada'),
      type: ChannelType.DM,
    });
    expect(await rest.get(Routes.user())).toMatchObject({ id: simulator.applicationId, bot: true });
    expect(await rest.get(Routes.gatewayBot())).toMatchObject({ session_start_limit: { remaining: 1_000 } });
    await expect(rest.get(Routes.channel(LOUNGE))).rejects.toMatchObject({ code: 50001 });
  });

  test('sends a voice message, and gets the errors of an invalid one', async () => {
    const { rest } = await setUp();
    const attachments = [{ id: '0', filename: 'voice.ogg', duration_secs: 1.5, waveform: 'AAAA' }];
    const send = (contentType: string, body: object = { attachments }) => {
      const files = [{ name: 'voice.ogg', data: Buffer.from('x'), contentType }];
      return rest.post(Routes.channelMessages(GENERAL), { body: { flags: 8192, ...body }, files });
    };
    const sent = message(await send('audio/ogg'));
    expect(sent).toMatchObject({ flags: 8192, attachments: [{ filename: 'voice.ogg', duration_secs: 1.5 }] });
    await expect(send('text/plain')).rejects.toMatchObject({ code: 50160 });
    await expect(send('audio/ogg', { attachments: [{ id: '0' }] })).rejects.toMatchObject({ code: 50161 });
    await expect(send('audio/ogg', { attachments, content: 'x' })).rejects.toMatchObject({ code: 50159 });
    const edited = rest.patch(Routes.channelMessage(GENERAL, sent.id), { body: { content: 'x' } });
    await expect(edited).rejects.toMatchObject({ code: 50162 });
  });

  test('gets a tree of validation errors', async () => {
    const { rest } = await setUp();
    const post = (body: object) => rest.post(Routes.channelMessages(GENERAL), { body });
    await expect(post({ content: 'x'.repeat(2_001) })).rejects.toMatchObject({
      status: 400,
      code: 50035,
      rawError: { errors: { content: { _errors: [{ code: 'BASE_TYPE_BAD_LENGTH' }] } } },
    });
    await expect(post({ content: '' })).rejects.toMatchObject({ code: 50006 });
    await expect(post({ content: 'x', contnet: 'y' })).rejects.toMatchObject({ code: 50035 });
    const both = { allowed_mentions: { parse: ['users'], users: [ADA] } };
    await expect(post({ content: 'x', ...both })).rejects.toMatchObject({ code: 50035 });
    expect(message(await post({ flags: 32_768, components: text(4_000, 'x') })).flags).toBe(32_768);
    await expect(post({ flags: 32_768, components: text(3_400, '字') })).rejects.toMatchObject({
      status: 500,
    });
    await expect(post({ flags: 32_768, components: text(1, 'x'), content: 'x' })).rejects.toMatchObject({
      code: 50035,
    });
  });
});

describe('limits and faults', () => {
  test('headers contain the remaining requests, and a 429 the retry time', async () => {
    const { simulator, clock } = await setUp({ enforceLimits: true });
    const headers = { authorization: `Bot ${simulator.botToken}`, 'content-type': 'application/json' };
    const post = () =>
      fetch(`${simulator.apiUrl}/channels/${GENERAL}/messages`, {
        method: 'POST',
        headers,
        body: '{"content":"x"}',
      });
    const first = await post();
    expect(first.headers.get('x-ratelimit-remaining')).toBe('4');
    for (let count = 0; count < 4; count += 1) await post();
    clock.advance(2_000);
    const response = await post();
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('3');
    expect(await response.json()).toEqual({
      message: 'You are being rate limited.',
      retry_after: 3,
      global: false,
    });
    expect(simulator.invalidCalls()).toBe(1);
    clock.advance(3_000);
    expect((await post()).status).toBe(200);
    clock.advance(600_000);
    expect(simulator.invalidCalls()).toBe(0);
  });

  test('requested faults occur', async () => {
    const { rest, simulator, core } = await setUp();
    const route = 'POST /channels/{channel_id}/messages';
    const post = () => rest.post(Routes.channelMessages(GENERAL), { body: { content: 'x' } });
    simulator.faults.add({ kind: 'refuse', route, code: 50013 });
    await expect(post()).rejects.toMatchObject({ status: 403, code: 50013 });
    simulator.faults.add({ kind: 'status', status: 502 });
    await expect(post()).rejects.toMatchObject({ status: 502 });
    simulator.faults.add({ kind: 'cut' });
    await expect(post()).rejects.toThrow('other side closed');
    expect(core.messages()).toHaveLength(0);
    simulator.faults.add({ kind: 'lose-reply' });
    await expect(post()).rejects.toThrow('other side closed');
    expect(core.messages()).toHaveLength(1);
    simulator.faults.add({ kind: 'cloudflare', retryAfter: 5 });
    const answer = await fetch(`${simulator.apiUrl}/gateway`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([429, 'text/html; charset=UTF-8']);
    expect(await answer.text()).toContain('error code: 1015');
  });

  test('a wrong token gets a 401, and a request without a user agent is refused where it is required', async () => {
    const { simulator, rest } = await setUp({ insistOnUserAgent: true });
    expect(await rest.get(Routes.user())).toBeDefined();
    expect((await fetch(`${simulator.apiUrl}/users/@me`)).status).toBe(403);
    rest.setToken('wrong');
    await expect(rest.get(Routes.user())).rejects.toMatchObject({ status: 401 });
  });
});

test('the gateway sends every event, without content where the intent is missing', async () => {
  const { rest, core, simulator } = await setUp({ identity: { messageContent: false } });
  const calls: [string, boolean][] = [];
  core.onDispatch(({ t, open }) => calls.push([t, open]));
  const id = core.say('ada', 'among us');
  core.say('ada', '@parley hello');
  core.edit('ada', id, 'changed');
  core.react('grace', id, '👍');
  core.remove('ada', id);
  await rest.post(Routes.channelMessages(GENERAL), { body: { content: 'mine' } });
  expect(calls).toEqual([
    ['MESSAGE_CREATE', false],
    ['MESSAGE_CREATE', true],
    ['MESSAGE_UPDATE', false],
    ['MESSAGE_REACTION_ADD', true],
    ['MESSAGE_DELETE', true],
    ['MESSAGE_CREATE', true],
  ]);
  core.say('ada', 'secret');
  const read = messages(await rest.get(Routes.channelMessages(GENERAL)));
  expect(read.map(({ content }) => content)).toEqual(['', 'mine', `<@${simulator.applicationId}> hello`]);
});

function fail(): never {
  throw new Error('not there');
}
