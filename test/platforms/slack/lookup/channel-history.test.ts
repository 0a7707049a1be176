import { afterAll, expect, test } from '@jest/globals';
import { messageId } from '../../../../shared/domain/index.ts';
import { HistoryUnavailableError } from '../../../../shared/platforms/ports/index.ts';
import { createSlackPlatform, createWebCall } from '../../../../shared/platforms/slack/index.ts';
import { type SlackCall, SlackApiError } from '../../../../shared/platforms/slack/api/call.ts';
import {
  type SlackSimulator,
  type SlackSimulatorOptions,
  startSlackSimulator,
} from '../../../simulators/slack/index.ts';
import { turnAt } from '../simulated-turn.ts';
import { fakeTime, turn } from '../fake-slack.ts';

const simulators: SlackSimulator[] = [];
afterAll(async () => {
  for (const simulator of simulators) await simulator.close();
});

/** The platform on a simulated Slack that counts requests, with a clock that only waiting advances. */
async function open(options: SlackSimulatorOptions = {}) {
  let now = Date.parse('2026-11-21T12:00:00Z');
  const clock = () => now;
  const slack = await startSlackSimulator({ clock, enforceTiers: true, ...options });
  simulators.push(slack);
  const time = {
    now: clock,
    // What may be aborted is a time limit, and the simulator responds in time.
    sleep: async (ms: number, signal?: AbortSignal) => {
      if (signal) await new Promise((_, reject) => signal.addEventListener('abort', reject));
      now += ms;
    },
  };
  const call = createWebCall({
    slackApiUrl: slack.apiUrl,
    token: async () => slack.botToken,
    timeoutMs: 2_000,
  });
  const platform = createSlackPlatform({ call, time, botUserId: slack.botUserId });
  const { thread } = turnAt(slack, '1');
  const say = async (count: number, root?: string): Promise<void> => {
    for (let n = 0; n < count; n += 1) {
      now += 1_000;
      await slack.say('Ada', `No ${n}.`, root === undefined ? {} : { thread: root });
    }
  };
  return { slack, platform, say, channel: { ...thread, root: undefined }, wait: (ms: number) => (now += ms) };
}

test('messages are read with their files', async () => {
  const { slack, platform, channel } = await open();
  await slack.say('Ada', 'Hello.');
  const file = { name: 'a.mp3', mimetype: 'audio/mpeg', content: new Uint8Array(7) };
  await slack.say('Ada', '', { files: [file] });
  const { messages } = await platform.readHistory(channel, { maxMessages: 9 });
  expect(messages).toMatchObject([
    { text: 'Hello.', attachments: [] },
    { text: '(with a.mp3)', attachments: [{ name: 'a.mp3', mimetype: 'audio/mpeg', bytes: 7 }] },
  ]);
});

test('a message has the people who reacted to it, as far as Slack lists them', async () => {
  const { slack, platform, channel } = await open();
  const ts = await slack.say('Ada', 'Hello.');
  const [, grace] = slack.users;
  slack.core.react(grace?.id ?? '', slack.channel, ts, 'eyes');
  const { messages } = await platform.readHistory(channel, { maxMessages: 9 });
  expect(messages).toMatchObject([{ text: 'Hello.', reactedBy: [grace?.id] }]);
});

const OUTSIDE = { distribution: 'outside-marketplace' } as const;

test('outside of the Marketplace 15 messages a minute are read without waiting for more', async () => {
  const { slack, platform, say, channel, wait } = await open(OUTSIDE);
  await say(40);
  const read = await platform.readHistory(channel, { maxMessages: 1_000 });
  expect(read.incomplete).toBe('slowed');
  expect(read.messages.map(({ text }) => text)).toEqual(
    Array.from({ length: 15 }, (_, n) => `No ${25 + n}.`),
  );
  // Another read at once returns nothing, with the retry time.
  const failure = await platform
    .readHistory(channel, { maxMessages: 1_000 })
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ name: 'HistoryUnavailableError', reason: 'slowed' });
  expect(failure instanceof HistoryUnavailableError && failure.retryAfterMs).toBeGreaterThan(20_000);
  wait(61_000);
  expect((await platform.readHistory(channel, { maxMessages: 1_000 })).messages).toHaveLength(15);
  expect(slack.calls.filter(({ method }) => method === 'conversations.history').length).toBeGreaterThan(2);
});

test('outside of the Marketplace replies in a channel are omitted, and the number of their threads is reported', async () => {
  const { slack, platform, say, channel } = await open(OUTSIDE);
  const root = await slack.say('Ada', 'Shall we?');
  await say(3, root);
  await say(20);
  const read = await platform.readHistory(channel, { maxMessages: 1_000, maxThreads: 12 });
  expect(read).toMatchObject({ incomplete: 'slowed', unreadThreads: 0 });
  expect(read.messages).toHaveLength(15);
});

test('messages before the requested time are not read', async () => {
  const { slack, platform, say, channel, wait } = await open();
  await say(5);
  const since = wait(60_000);
  wait(1_000);
  const root = await slack.say('Grace', 'Later.');
  await slack.say('Ada', 'Yes.', { thread: root });
  const read = await platform.readHistory(channel, { maxMessages: 1_000, maxThreads: 12, since });
  expect(read.messages.map(({ author, text }) => `${author.toLowerCase().split(' ')[0]}: ${text}`)).toEqual([
    'grace: Later.',
    'ada: Yes.',
  ]);
  const [link] = read.messages.slice(1).map((one) => one.link ?? '');
  expect(link).toContain(`thread_ts=${root}`);
});

test('a message of exactly the requested time is read, in a channel and in a thread', async () => {
  const { slack, platform, channel, wait } = await open();
  const since = wait(1_000);
  const root = await slack.say('Grace', 'Shall we?');
  expect(root).toBe((since / 1_000).toFixed(6));
  const range = { maxMessages: 1_000, maxThreads: 12 };
  expect((await platform.readHistory(channel, { ...range, since })).messages).toMatchObject([{ id: root }]);
  const later = wait(1_000);
  const reply = await slack.say('Ada', 'Yes.', { thread: root });
  const inThread = { ...channel, root: messageId(root) };
  const { messages } = await platform.readHistory(inThread, { ...range, since: later });
  expect(messages.at(-1)).toMatchObject({ id: reply, text: 'Yes.' });
});

test('the root of a long thread, with which each page begins, is read once', async () => {
  const { slack, platform, say, channel } = await open();
  const root = await slack.say('Ada', 'Shall we?');
  await say(450, root);
  const { messages, incomplete } = await platform.readHistory(
    { ...channel, root: messageId(root) },
    { maxMessages: 451 },
  );
  expect(incomplete).toBeUndefined();
  expect(messages.map(({ text }) => text)).toEqual([
    'Shall we?',
    ...Array.from({ length: 450 }, (_, n) => `No ${n}.`),
  ]);
  expect(slack.calls.filter(({ method }) => method === 'conversations.replies')).toHaveLength(3);
});

test.each([
  ['not_in_channel', 'not-member'],
  // Slack does not reveal that private channels exist.
  ['channel_not_found', 'not-member'],
  ['missing_scope', 'no-permission'],
  ['access_denied', 'no-permission'],
  ['restricted_action', 'no-permission'],
  ['channel_is_limited_access', 'no-permission'],
  ['method_not_supported_for_channel_type', 'no-permission'],
  ['thread_not_found', 'no-thread'],
] as const)('the refusal %s is reported as %s', async (code, reason) => {
  const call: SlackCall = (method) => Promise.reject(new SlackApiError(method, code));
  const time = fakeTime();
  const platform = createSlackPlatform({ call, time });
  const { thread } = turn;
  for (const place of [thread, { ...thread, root: undefined }]) {
    const read = platform.readHistory(place, { maxMessages: 10 });
    await expect(time.until(read)).rejects.toMatchObject({ name: 'HistoryUnavailableError', reason });
  }
});

const failing: SlackCall = (method) => Promise.reject(new SlackApiError(method, 'internal_error'));

test('a refusal that is not permanent is retried later', async () => {
  const time = fakeTime();
  const platform = createSlackPlatform({ call: failing, time });
  const read = platform.readHistory(turn.thread, { maxMessages: 10 });
  await expect(time.until(read)).rejects.not.toMatchObject({ name: 'HistoryUnavailableError' });
});

test('authors are asked for ten at once, and those whom Slack does not tell within three seconds keep their id', async () => {
  const time = fakeTime();
  const users = Array.from({ length: 25 }, (_, n) => `U0MANY${String(n).padStart(3, '0')}`);
  let underWay = 0;
  let maxUnderWay = 0;
  const call: SlackCall = async (method, { user }) => {
    if (method === 'auth.test') return { ok: true, user_id: 'U0BOT', bot_id: 'B0BOT' };
    if (method === 'chat.getPermalink') throw new Error('no link');
    if (method === 'conversations.replies') {
      const messages = users.map((author, n) => ({
        ts: `170000${1_000 + n}.000100`,
        user: author,
        text: 'Hi.',
      }));
      return { ok: true, messages };
    }
    underWay += 1;
    maxUnderWay = Math.max(maxUnderWay, underWay);
    await time.sleep(user === users[12] ? 10_000 : 500);
    underWay -= 1;
    return { ok: true, user: { name: `name of ${String(user)}` } };
  };
  const start = time.now();
  const platform = createSlackPlatform({ call, time });
  const { messages } = await time.until(platform.readHistory(turn.thread, { maxMessages: 99 }));
  const authors = messages.map(({ author }) => author);
  expect([authors[0], authors[11], authors[12]]).toEqual([
    'name of U0MANY000',
    'name of U0MANY011',
    '<@U0MANY012>',
  ]);
  expect(maxUnderWay).toBe(10);
  expect(time.now() - start).toBe(3_000);
});
