import { afterEach, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import * as v from 'valibot';
import { createDiscord } from './discord.ts';
import { type Gateway, startGateway } from './gateway.ts';
import type { GatewayEvent } from './gateway-intents.ts';
import type { GatewaySource } from './gateway-source.ts';

const TOKEN = 'token';
const running: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of running.splice(0).toReversed()) await one.close();
});

/** A guild of this shard out of so many. */
const guildOn = (shard: number, count: number): string => String(BigInt(count * 1_000 + shard) << 22n);
const GUILDS = [guildOn(0, 2), guildOn(1, 2)];

const payload = v.object({ op: v.number(), t: v.nullish(v.string()), d: v.optional(v.unknown()) });
const ready = v.object({ guilds: v.array(v.object({ id: v.string() })), session_id: v.string() });
type Payload = v.InferOutput<typeof payload>;

async function context(options: Parameters<typeof startGateway>[1] = {}) {
  const source: GatewaySource = {
    botToken: TOKEN,
    applicationId: '9',
    user: () => ({ id: '9' }),
    messageContent: () => true,
    guilds: () =>
      GUILDS.map((id): GatewayEvent => ({ t: 'GUILD_CREATE', d: { id }, guildId: id, open: true })),
    budget: { total: 1_000, remaining: 1_000, shards: 2, maxConcurrency: 1 },
    onDispatch: new Set(),
  };
  const gateway = await startGateway(source, { identifyMs: 0, ...options });
  running.push(gateway);
  const tell = (id: string, guildId?: string): void => {
    const event = { t: 'MESSAGE_CREATE', d: { id }, open: true };
    for (const listener of source.onDispatch) listener(guildId === undefined ? event : { ...event, guildId });
  };
  return { gateway, source, tell };
}

/** A client that sends this after HELLO, with what it received, and its close code. */
async function client(gateway: Gateway, op: number, d: object) {
  const socket = new WebSocket(`${gateway.url}/?v=10&encoding=json`);
  running.push({ close: () => socket.terminate() });
  const payloads: Payload[] = [];
  const waiting: { enough: () => boolean; resolve: () => void }[] = [];
  let closed: number | undefined;
  const look = (): void => waiting.filter(({ enough }) => enough()).forEach(({ resolve }) => resolve());
  socket.on('message', (raw: Buffer) => {
    payloads.push(v.parse(payload, JSON.parse(raw.toString('utf8'))));
    look();
  });
  socket.on('close', (code) => {
    closed = code;
    look();
  });
  const until = (enough: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      waiting.push({ enough, resolve });
      look();
    });
  await once(socket, 'open');
  socket.send(JSON.stringify({ op, d: { token: TOKEN, ...d } }));
  return { payloads, until, names: () => payloads.flatMap(({ t }) => t ?? []), closed: () => closed };
}

const PROPERTIES = { os: 'linux', browser: 'x', device: 'x' };
const identify = (gateway: Gateway, shard: readonly [number, number]) =>
  client(gateway, 2, { intents: 4_609, properties: PROPERTIES, shard });

test('a shard receives the events of its own guilds only, and the first also direct messages', async () => {
  const { gateway, tell } = await context();
  const shards = [await identify(gateway, [0, 2]), await identify(gateway, [1, 2])];
  for (const shard of shards) await shard.until(() => shard.names().includes('GUILD_CREATE'));
  expect(gateway.shards).toEqual(['0/2', '1/2']);
  tell('1', GUILDS[0]);
  tell('2', GUILDS[1]);
  tell('3');
  for (const [index, shard] of shards.entries()) {
    await shard.until(() => shard.names().filter((name) => name === 'MESSAGE_CREATE').length === 2 - index);
    const { guilds } = v.parse(ready, shard.payloads.find(({ t }) => t === 'READY')?.d);
    expect(guilds.map(({ id }) => id)).toEqual([GUILDS[index]]);
  }
});

test('a client that sends no heartbeats is disconnected, and its session cannot be resumed', async () => {
  const { gateway } = await context({ heartbeatMs: 20, heartbeatGraceMs: 20 });
  const silent = await identify(gateway, [0, 2]);
  await silent.until(() => silent.closed() !== undefined);
  expect(silent.closed()).toBe(4_009);
  const { session_id } = v.parse(ready, silent.payloads.find(({ t }) => t === 'READY')?.d);
  const again = await client(gateway, 6, { session_id, seq: 1 });
  await again.until(() => again.payloads.some(({ op }) => op === 9));
  expect(gateway.counts.resumed).toBe(0);
});

test('a session that resumes elsewhere ends the earlier connection', async () => {
  const { gateway, tell } = await context();
  const first = await identify(gateway, [0, 2]);
  await first.until(() => first.names().includes('GUILD_CREATE'));
  const { session_id } = v.parse(ready, first.payloads.find(({ t }) => t === 'READY')?.d);
  const second = await client(gateway, 6, { session_id, seq: 2 });
  await first.until(() => first.closed() !== undefined);
  tell('1', GUILDS[0]);
  await second.until(() => second.names().includes('MESSAGE_CREATE'));
  expect(first.closed()).toBe(4_000);
});

test('too many guilds per session, an invalid shard number and too many simultaneous identifies are refused', async () => {
  const { gateway, source } = await context({ maxGuilds: 1, identifyMs: 60_000 });
  const whole = await identify(gateway, [0, 1]);
  await whole.until(() => whole.closed() === 4_011);
  const wrong = await identify(gateway, [2, 2]);
  await wrong.until(() => wrong.closed() === 4_010);
  const first = await identify(gateway, [0, 2]);
  await first.until(() => first.names().includes('READY'));
  const second = await identify(gateway, [1, 2]);
  await second.until(() => second.payloads.some(({ op }) => op === 9));
  source.budget.maxConcurrency = 2;
  const again = await identify(gateway, [1, 2]);
  await again.until(() => again.names().includes('READY'));
  expect(gateway.shards).toEqual(['0/2', '1/2']);
});

test('a thread on a message sends its first message, which has no text and refers to that message', () => {
  const discord = createDiscord();
  const root = discord.say('ada', 'We meet on Monday.');
  const dispatches: Pick<GatewayEvent, 't' | 'd'>[] = [];
  discord.onDispatch(({ t, d }) => dispatches.push({ t, d }));
  const thread = discord.thread('ada', root, 'A thread');
  expect(dispatches.map(({ t }) => t)).toEqual(['THREAD_CREATE', 'MESSAGE_UPDATE', 'MESSAGE_CREATE']);
  expect(dispatches[2]?.d).toMatchObject({
    type: 21,
    id: thread,
    channel_id: thread,
    content: '',
    message_reference: { message_id: root },
    referenced_message: { content: 'We meet on Monday.' },
  });
});

test('the first message of a post in a forum has the id of its thread', () => {
  const discord = createDiscord();
  const forum = [...discord.state.channels.values()].find(({ name }) => name === 'questions')?.id ?? '';
  const post = discord.thread('ada', forum, 'When do we meet?', 'And where?');
  expect(discord.messages(post)).toMatchObject([{ id: post, channel_id: post, type: 0 }]);
});

test('the last message of a forum is its newest post', () => {
  const discord = createDiscord();
  const forum = [...discord.state.channels.values()].find(({ name }) => name === 'questions')?.id ?? '';
  const last = () => discord.ready().guilds[0]?.d['channels'];
  expect(last()).toContainEqual(expect.objectContaining({ id: forum, last_message_id: null }));
  discord.thread('ada', forum, 'When do we meet?', 'And where?');
  const newest = discord.thread('ada', forum, 'Why?', 'Tell me.');
  expect(last()).toContainEqual(expect.objectContaining({ id: forum, last_message_id: newest }));
});

test('GUILD_CREATE has the active threads of a guild, and no archived ones', () => {
  const discord = createDiscord();
  const [open, archived] = ['One', 'Two'].map((text) => {
    const root = discord.say('ada', text);
    return discord.thread('ada', root, text);
  });
  discord.close(archived ?? '', { archived: true });
  const [guild] = discord.ready().guilds;
  expect(guild?.d['threads']).toEqual([expect.objectContaining({ id: open })]);
});
