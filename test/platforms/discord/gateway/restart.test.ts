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
/** Resolves when the next process would know that this message was handed over. */
const saved = (message: string): Promise<void> =>
  until(() => rig.shelf.text?.includes(`"seen":"${message}"`) === true);

/** Something was written when nobody had set the bot up yet. */
const before = () => rig.corner.ask('before the bot was set up', { id: msToSnowflake(Date.now() - 5_000) });

/** A relay that has handed over one question, and has saved that. */
async function running(): Promise<void> {
  await rig.relay();
  await until(() => rig.begun);
  const one = rig.corner.ask('one');
  await until(() => rig.taken.length === 1);
  await saved(one);
}

test('killed, with messages sent meanwhile: the next process resumes, and each arrives', async () => {
  await running();
  rig.kill();
  rig.corner.ask('two');
  rig.corner.ask('three');
  await rig.relay();
  await until(() => rig.taken.length === 3);
  expect(rig.texts()).toEqual(['one', 'two', 'three']);
  expect(rig.gateway.counts).toMatchObject({ identifies: 1, resumed: 1 });
});

test('killed while a message was on its way: it counts as unseen, and arrives', async () => {
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

test('told to end: what was taken in counts, the session is left open, and nothing is sent twice', async () => {
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

test('away for too long: a new session, and what was missed is read in guild, thread and DM', async () => {
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

test('killed while it catches up: the next process does', async () => {
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

test('many were missed: they are read page by page, in order, and no more than three hundred of a channel', async () => {
  await running();
  rig.kill();
  rig.gateway.forget();
  for (let i = 0; i < 350; i += 1) rig.corner.ask(`missed ${i}`);
  await rig.relay();
  await until(() => rig.said.some(({ event }) => event === 'gateway.backfill-truncated'));
  // One of the three hundred was handed over before the gap.
  expect(rig.texts().slice(1)).toEqual(Array.from({ length: 299 }, (_, i) => `missed ${i}`));
});

test('what was never there before is not caught up on', async () => {
  before();
  await rig.relay();
  await connected();
  rig.corner.ask('one');
  await until(() => rig.taken.length === 1);
  expect(rig.texts()).toEqual(['one']);
});

test('killed before its first session was saved: the next process makes up for what was written since it began', async () => {
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

test('the queue fails: what comes is held, handed over when it answers, and only then counts as seen', async () => {
  await running();
  rig.trouble.fails = 5;
  rig.corner.ask('two');
  await until(() => rig.taken.length === 2);
  expect(rig.said.filter(({ event }) => event === 'gateway.retried')).toHaveLength(5);
});

test('what can never be handed over is given up, and said', async () => {
  await rig.relay('all', { isPermanentError: () => true });
  await connected();
  rig.trouble.fails = 3;
  rig.corner.ask('one');
  await until(() => rig.said.some(({ event }) => event === 'gateway.given-up'));
  rig.corner.ask('two');
  await until(() => rig.taken.length === 1);
  expect(rig.texts()).toEqual(['two']);
});

test('more comes than can wait: the rest is left to Discord, and comes again', async () => {
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

test('the bookmark cannot be read for a while: the relay waits rather than to begin anew', async () => {
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
/** The bookmark says that the bot is in the guild; then the session is over. */
async function away(): Promise<void> {
  await running();
  await until(() => rig.guildShelf.text?.includes(GUILD) === true);
  rig.kill();
  rig.gateway.forget();
}

describe('a guild that puts the bot out while nobody is told', () => {
  const LEFT = [{ kind: 'app-uninstalled', platform: 'discord', workspace: GUILD, at: expect.any(Number) }];
  test('is forgotten, once, when the relay comes back', async () => {
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

  test('is not overlooked when the relay is killed before that is on the queue', async () => {
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

  test('is not taken for one that another bot is not in', async () => {
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

  test('and one that is only out of reach stays', async () => {
    await away();
    await rig.relay();
    await until(() => rig.gateway.counts.identifies === 2);
    const id = rig.corner.ask('two');
    await saved(id);
    expect(forgotten()).toEqual([]);
  });
});
