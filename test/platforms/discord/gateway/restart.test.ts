import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { ADA, DM, GUILD, until } from './corner.ts';
import { rigOf, type Rig } from './rig.ts';
import { msToSnowflake } from '../../../../shared/utils/snowflake.ts';

jest.setTimeout(20_000);
let rig: Rig;

beforeEach(async () => {
  rig = await rigOf();
});
afterEach(() => rig.close());

const nothing = async (): Promise<void> => undefined;
const connected = (): Promise<void> => until(() => rig.gateway.connected === 1);
/** Resolves when the next process would know that this message was forwarded. */
const saved = (message: string): Promise<void> =>
  until(() => rig.shelf.text?.includes(`"seen":"${message}"`) === true);

/** A message from before the bot was set up. */
const before = () => rig.corner.ask('before the bot was set up', { id: msToSnowflake(Date.now() - 5_000) });

/** A relay that has forwarded one question, and has stored that. */
async function running(): Promise<void> {
  await rig.relay();
  await until(() => rig.begun);
  const one = rig.corner.ask('one');
  await until(() => rig.taken.length === 1);
  await saved(one);
}

test('after a kill the next process resumes, and receives each message', async () => {
  await running();
  rig.kill();
  rig.corner.ask('two');
  rig.corner.ask('three');
  await rig.relay();
  await until(() => rig.taken.length === 3);
  expect(rig.texts()).toEqual(['one', 'two', 'three']);
  expect(rig.gateway.counts).toMatchObject({ identifies: 1, resumed: 1 });
});

test('a message that was being processed at the kill is delivered again', async () => {
  await running();
  rig.trouble.holds = new Promise(() => undefined);
  rig.corner.ask('two');
  rig.corner.ask('three', { channel_id: DM });
  await until(() => rig.gateway.counts.heartbeats > 3);
  rig.kill();
  rig.trouble.holds = Promise.resolve();
  await rig.relay();
  await until(() => rig.taken.length === 3);
  expect(rig.texts().toSorted()).toEqual(['one', 'three', 'two']);
  expect(rig.gateway.counts.identifies).toBe(1);
});

test('a shutdown finishes accepted messages, keeps the session open, and sends nothing twice', async () => {
  await running();
  const [relay] = rig.relays;
  rig.corner.ask('two');
  await until(() => rig.taken.length === 2);
  await relay?.stop();
  rig.kill();
  rig.corner.ask('three');
  await rig.relay();
  await until(() => rig.taken.length === 3);
  expect(rig.repeats).toBe(0);
  expect(rig.gateway.counts).toMatchObject({ identifies: 1, resumed: 1 });
});

test('after a long absence a new session starts, and missed messages are read in guild, thread and DM', async () => {
  await running();
  const thread = rig.corner.ask('a thread');
  rig.corner.open(thread);
  const hello = rig.corner.post('hello', { channel_id: DM });
  await until(() => rig.taken.length === 3);
  await saved(hello);
  rig.kill();
  rig.gateway.forget();
  rig.corner.ask('two');
  rig.corner.post('chatter');
  rig.corner.post('a bot', { author: { id: '7', bot: true } });
  rig.corner.post('three', { channel_id: DM });
  rig.corner.post('four', { channel_id: thread });
  await rig.relay();
  await until(() => rig.taken.length === 6);
  expect(rig.texts().slice(3).toSorted()).toEqual(['four', 'three', 'two']);
  expect(rig.gateway.counts.identifies).toBe(2);
});

test('a kill during the catch-up is followed by the catch-up of the next process', async () => {
  await running();
  rig.kill();
  rig.gateway.forget();
  rig.corner.ask('two');
  rig.trouble.holds = new Promise(() => undefined);
  const { text } = rig.shelf;
  await rig.relay();
  await until(() => rig.corner.asked.some((route) => route.startsWith('messages')));
  await until(() => rig.shelf.text !== text);
  rig.kill();
  rig.trouble.holds = Promise.resolve();
  await rig.relay();
  await until(() => rig.taken.length === 2);
  expect(rig.texts()).toEqual(['one', 'two']);
  expect(rig.gateway.counts).toMatchObject({ identifies: 2, resumed: 1 });
});

test('missed messages are read page by page, in order, and at most three hundred per channel', async () => {
  await running();
  rig.kill();
  rig.gateway.forget();
  for (let i = 0; i < 350; i += 1) rig.corner.ask(`missed ${i}`);
  await rig.relay();
  await until(() => rig.said.some(({ event }) => event === 'gateway.backfill-truncated'));
  // One of the three hundred was forwarded before the gap.
  expect(rig.texts().slice(1)).toEqual(Array.from({ length: 299 }, (_, i) => `missed ${i}`));
});

test('a channel that the relay has never seen is not caught up', async () => {
  before();
  await rig.relay();
  await connected();
  rig.corner.ask('one');
  await until(() => rig.taken.length === 1);
  expect(rig.texts()).toEqual(['one']);
});

test('after a kill before the first session was saved, the next process reads what came since the start', async () => {
  before();
  await rig.relay('all', { sessionLimit: { take: () => new Promise(() => undefined) } });
  await until(() => rig.shelf.saves > 0);
  rig.kill();
  rig.corner.ask('one');
  await rig.relay();
  await until(() => rig.texts().includes('one'));
  rig.corner.ask('two');
  await until(() => rig.taken.length === 2);
  expect(rig.texts()).toEqual(['one', 'two']);
});

test('while the queue fails messages wait; they are forwarded when it works, and count as seen only then', async () => {
  await running();
  rig.trouble.fails = 5;
  rig.corner.ask('two');
  await until(() => rig.taken.length === 2);
  expect(rig.said.filter(({ event }) => event === 'gateway.retried')).toHaveLength(5);
});

test('a message that can never be forwarded is dropped and logged', async () => {
  await rig.relay('all', { isPermanentError: () => true });
  await connected();
  rig.trouble.fails = 3;
  rig.corner.ask('one');
  await until(() => rig.said.some(({ event }) => event === 'gateway.given-up'));
  rig.corner.ask('two');
  await until(() => rig.taken.length === 1);
  expect(rig.texts()).toEqual(['two']);
});

test('messages beyond the buffer are left to Discord, and arrive again', async () => {
  await running();
  const { promise, resolve } = Promise.withResolvers<void>();
  rig.trouble.holds = promise;
  for (let i = 0; i < 2_500; i += 1) rig.corner.ask(String(i), { author: { id: ADA, username: `ada${i}` } });
  await until(() => rig.said.some(({ event }) => event === 'gateway.queue-full'));
  resolve();
  await until(() => rig.taken.length === 2_501);
  expect(rig.texts().slice(1)).toEqual(Array.from({ length: 2_500 }, (_, i) => String(i)));
  expect(rig.gateway.counts.identifies).toBe(1);
  expect(rig.gateway.counts.resumed).toBeGreaterThan(0);
});

test('while the bookmark cannot be read the relay waits, and does not start from zero', async () => {
  await running();
  rig.kill();
  rig.corner.ask('two');
  let fails = 3;
  const load = async (): Promise<string | undefined> => {
    if (--fails >= 0) throw new Error('the table cannot be reached');
    return rig.shelf.text;
  };
  const checkpointStore = { load, save: nothing, discard: nothing };
  const guildStore = { load: async () => rig.guildShelf.text, save: nothing, discard: nothing };
  await rig.relay('all', { shardStores: () => ({ checkpointStore, guildStore }) });
  await until(() => rig.taken.length === 2);
  expect(rig.gateway.counts.identifies).toBe(1);
});

const forgotten = () => rig.taken.filter(({ kind }) => kind === 'app-uninstalled');
/** The bookmark contains the guild; then the session ends. */
async function away(): Promise<void> {
  await running();
  await until(() => rig.guildShelf.text?.includes(GUILD) === true);
  rig.kill();
  rig.gateway.forget();
}

describe('a guild that removes the bot while no relay runs', () => {
  const LEFT = [{ kind: 'app-uninstalled', platform: 'discord', workspace: GUILD, at: expect.any(Number) }];
  test('is erased once when the relay returns', async () => {
    await away();
    rig.corner.isIn = false;
    await rig.relay();
    await until(() => forgotten().length > 0);
    await until(() => rig.guildShelf.text === '[]');
    rig.kill();
    rig.gateway.forget();
    await rig.relay();
    await until(() => rig.gateway.counts.identifies === 3);
    await connected();
    expect(forgotten()).toEqual(LEFT);
  });

  test('is erased even if the relay is killed before the task is queued', async () => {
    await away();
    rig.corner.isIn = false;
    rig.trouble.holds = new Promise(() => undefined);
    const { text } = rig.shelf;
    await rig.relay();
    await until(() => rig.shelf.text !== text);
    rig.kill();
    rig.trouble.holds = Promise.resolve();
    await rig.relay();
    await until(() => forgotten().length > 0);
    expect(forgotten()).toEqual(LEFT);
  });

  test('is told apart from a guild without the bot', async () => {
    await away();
    rig.corner.bot = '902000000000000001';
    rig.corner.isIn = false;
    for (const sessions of [2, 3]) {
      await rig.relay();
      await until(() => rig.gateway.counts.identifies === sessions && rig.guildShelf.text === '[]');
      rig.kill();
      rig.gateway.forget();
    }
    expect(forgotten()).toEqual([]);
  });

  test('is told apart from an unavailable guild, which stays', async () => {
    await away();
    await rig.relay();
    await until(() => rig.gateway.counts.identifies === 2);
    const id = rig.corner.ask('two');
    await saved(id);
    expect(forgotten()).toEqual([]);
  });
});
