import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ADA, DM, GUILD } from './fake-guilds.ts';
import { until } from './turn-clock.ts';
import { startGatewayHarness, type GatewayHarness } from './gateway-harness.ts';
import { msToSnowflake } from '../../../../shared/utils/snowflake.ts';
let harness: GatewayHarness;

beforeEach(async () => {
  harness = await startGatewayHarness();
});
afterEach(() => harness.close());

const nothing = async (): Promise<void> => undefined;
const connected = (): Promise<void> => until(() => harness.gateway.connected === 1);
/** Resolves when the next process would know that this message was forwarded. */
const saved = (message: string): Promise<void> =>
  until(() => harness.checkpoint.text?.includes(`"seen":"${message}"`) === true);

/** A message from before the bot was set up. */
const before = () =>
  harness.guilds.ask('before the bot was set up', { id: msToSnowflake(harness.clock.now() - 5_000) });

/** A relay that has forwarded one question, and has stored that. */
async function running(): Promise<void> {
  await harness.relay();
  await until(() => harness.hasStarted);
  const one = harness.guilds.ask('one');
  await until(() => harness.delivered.length === 1);
  await saved(one);
}

test('after a kill the next process resumes, and receives each message', async () => {
  await running();
  harness.kill();
  harness.guilds.ask('two');
  harness.guilds.ask('three');
  await harness.relay();
  await until(() => harness.delivered.length === 3);
  expect(harness.texts()).toEqual(['one', 'two', 'three']);
  expect(harness.gateway.counts).toMatchObject({ identifies: 1, resumed: 1 });
});

test('a message that was being processed at the kill is delivered again', async () => {
  await running();
  harness.forwarding.holds = new Promise(() => undefined);
  harness.guilds.ask('two');
  harness.guilds.ask('three', { channel_id: DM });
  await until(() => harness.gateway.counts.heartbeats > 3);
  harness.kill();
  harness.forwarding.holds = Promise.resolve();
  await harness.relay();
  await until(() => harness.delivered.length === 3);
  expect(harness.texts().toSorted()).toEqual(['one', 'three', 'two']);
  expect(harness.gateway.counts.identifies).toBe(1);
});

test('a shutdown finishes accepted messages, keeps the session open, and sends nothing twice', async () => {
  await running();
  const [relay] = harness.relays;
  harness.guilds.ask('two');
  await until(() => harness.delivered.length === 2);
  await relay?.stop();
  harness.kill();
  harness.guilds.ask('three');
  await harness.relay();
  await until(() => harness.delivered.length === 3);
  expect(harness.repeats).toBe(0);
  expect(harness.gateway.counts).toMatchObject({ identifies: 1, resumed: 1 });
});

test('after a long absence a new session starts, and missed messages are read in guild, thread and DM', async () => {
  await running();
  const thread = harness.guilds.ask('a thread');
  harness.guilds.open(thread);
  const hello = harness.guilds.post('hello', { channel_id: DM });
  await until(() => harness.delivered.length === 3);
  await saved(hello);
  harness.kill();
  harness.gateway.forget();
  harness.guilds.ask('two');
  harness.guilds.post('chatter');
  harness.guilds.post('a bot', { author: { id: '7', bot: true } });
  harness.guilds.post('three', { channel_id: DM });
  harness.guilds.post('four', { channel_id: thread });
  await harness.relay();
  await until(() => harness.delivered.length === 6);
  expect(harness.texts().slice(3).toSorted()).toEqual(['four', 'three', 'two']);
  expect(harness.gateway.counts.identifies).toBe(2);
});

test('a kill during the catch-up is followed by the catch-up of the next process', async () => {
  await running();
  harness.kill();
  harness.gateway.forget();
  harness.guilds.ask('two');
  harness.forwarding.holds = new Promise(() => undefined);
  const { text } = harness.checkpoint;
  await harness.relay();
  await until(() => harness.guilds.lookups.some((route) => route.startsWith('messages')));
  await until(() => harness.checkpoint.text !== text);
  harness.kill();
  harness.forwarding.holds = Promise.resolve();
  await harness.relay();
  await until(() => harness.delivered.length === 2);
  expect(harness.texts()).toEqual(['one', 'two']);
  expect(harness.gateway.counts).toMatchObject({ identifies: 2, resumed: 1 });
});

test('missed messages are read page by page, in order, and at most three hundred per channel', async () => {
  await running();
  harness.kill();
  harness.gateway.forget();
  for (let i = 0; i < 350; i += 1) harness.guilds.ask(`missed ${i}`);
  await harness.relay();
  await until(() => harness.logs.some(({ event }) => event === 'gateway.backfill-truncated'));
  // One of the three hundred was forwarded before the gap.
  expect(harness.texts().slice(1)).toEqual(Array.from({ length: 299 }, (_, i) => `missed ${i}`));
});

test('a channel that the relay has never seen is not caught up', async () => {
  before();
  await harness.relay();
  await connected();
  harness.guilds.ask('one');
  await until(() => harness.delivered.length === 1);
  expect(harness.texts()).toEqual(['one']);
});

test('after a kill before the first session was saved, the next process reads what came since the start', async () => {
  before();
  await harness.relay('all', { sessionLimit: { take: () => new Promise(() => undefined) } });
  await until(() => harness.checkpoint.saves > 0);
  harness.kill();
  harness.guilds.ask('one');
  await harness.relay();
  await until(() => harness.texts().includes('one'));
  harness.guilds.ask('two');
  await until(() => harness.delivered.length === 2);
  expect(harness.texts()).toEqual(['one', 'two']);
});

test('while the queue fails messages wait; they are forwarded when it works, and count as seen only then', async () => {
  await running();
  harness.forwarding.fails = 5;
  harness.guilds.ask('two');
  await until(() => harness.delivered.length === 2);
  expect(harness.logs.filter(({ event }) => event === 'gateway.retried')).toHaveLength(5);
});

test('a message that can never be forwarded is dropped and logged', async () => {
  await harness.relay('all', { isPermanentError: () => true });
  await connected();
  harness.forwarding.fails = 3;
  harness.guilds.ask('one');
  await until(() => harness.logs.some(({ event }) => event === 'gateway.given-up'));
  harness.guilds.ask('two');
  await until(() => harness.delivered.length === 1);
  expect(harness.texts()).toEqual(['two']);
  // With the place, so that somebody can look what the person wrote.
  const lost = harness.logs.find(({ event }) => event === 'gateway.given-up');
  expect(lost?.facts).toMatchObject({
    kind: 'handle-event',
    channel: expect.any(String),
    message: expect.any(String),
  });
});

test('messages beyond the buffer are left to Discord, and arrive again', async () => {
  await running();
  const { promise, resolve } = Promise.withResolvers<void>();
  harness.forwarding.holds = promise;
  for (let i = 0; i < 2_500; i += 1)
    harness.guilds.ask(String(i), { author: { id: ADA, username: `ada${i}` } });
  await until(() => harness.logs.some(({ event }) => event === 'gateway.queue-full'));
  resolve();
  await until(() => harness.texts().includes('2499'));
  // A slow machine can lose the connection once more, and a message may then arrive twice: the queue removes duplicates.
  const [, ...arrived] = new Set(harness.texts());
  expect(arrived).toEqual(Array.from({ length: 2_500 }, (_, i) => String(i)));
  expect(harness.gateway.counts.identifies).toBe(1);
  expect(harness.gateway.counts.resumed).toBeGreaterThan(0);
});

test('while the bookmark cannot be read the relay waits, and does not start from zero', async () => {
  await running();
  harness.kill();
  harness.guilds.ask('two');
  let fails = 3;
  const load = async (): Promise<string | undefined> => {
    if (--fails >= 0) throw new Error('the table cannot be reached');
    return harness.checkpoint.text;
  };
  const checkpointStore = { load, save: nothing, discard: nothing };
  const guildStore = { load: async () => harness.guildCheckpoint.text, save: nothing, discard: nothing };
  await harness.relay('all', { shardStores: () => ({ checkpointStore, guildStore }) });
  await until(() => harness.delivered.length === 2);
  expect(harness.gateway.counts.identifies).toBe(1);
});

const forgotten = () => harness.delivered.filter(({ kind }) => kind === 'app-uninstalled');
/** The bookmark contains the guild; then the session ends. */
async function away(): Promise<void> {
  await running();
  await until(() => harness.guildCheckpoint.text?.includes(GUILD) === true);
  harness.kill();
  harness.gateway.forget();
}

describe('a guild that removes the bot while no relay runs', () => {
  const LEFT = [{ kind: 'app-uninstalled', platform: 'discord', workspace: GUILD, at: expect.any(Number) }];
  test('is erased once when the relay returns', async () => {
    await away();
    harness.guilds.isIn = false;
    await harness.relay();
    await until(() => forgotten().length > 0);
    await until(() => harness.guildCheckpoint.text === '[]');
    harness.kill();
    harness.gateway.forget();
    await harness.relay();
    await until(() => harness.gateway.counts.identifies === 3);
    await connected();
    expect(forgotten()).toEqual(LEFT);
  });

  test('is erased even if the relay is killed before the task is queued', async () => {
    await away();
    harness.guilds.isIn = false;
    harness.forwarding.holds = new Promise(() => undefined);
    const { text } = harness.checkpoint;
    await harness.relay();
    await until(() => harness.checkpoint.text !== text);
    harness.kill();
    harness.forwarding.holds = Promise.resolve();
    await harness.relay();
    await until(() => forgotten().length > 0);
    expect(forgotten()).toEqual(LEFT);
  });

  test('is told apart from a guild without the bot', async () => {
    await away();
    harness.guilds.bot = '902000000000000001';
    harness.guilds.isIn = false;
    for (const sessions of [2, 3]) {
      await harness.relay();
      await until(
        () => harness.gateway.counts.identifies === sessions && harness.guildCheckpoint.text === '[]',
      );
      harness.kill();
      harness.gateway.forget();
    }
    expect(forgotten()).toEqual([]);
  });

  test('is told apart from an unavailable guild, which stays', async () => {
    await away();
    await harness.relay();
    await until(() => harness.gateway.counts.identifies === 2);
    const id = harness.guilds.ask('two');
    await saved(id);
    expect(forgotten()).toEqual([]);
  });
});
