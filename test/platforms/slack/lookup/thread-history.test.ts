import { expect, test } from '@jest/globals';
import { messageId } from '../../../../shared/domain/index.ts';
import { createSlackPlatform } from '../../../../shared/platforms/slack/index.ts';
import {
  SlackRateLimitError,
  type SlackCall,
  SlackApiError,
} from '../../../../shared/platforms/slack/api/call.ts';
import { fakeTime, turn } from '../fake-slack.ts';

const questionTurn = { ...turn, message: messageId('1700000900.000000') };
const ts = (n: number) => `1700000${String(n).padStart(3, '0')}.000000`;
const people = new Map([
  ['U0ADA', { profile: { display_name: 'ada' }, real_name: 'Ada L.' }],
  ['U0BOBBY', { profile: { display_name: '' }, real_name: 'Bob B.' }],
  ['U0BOB', { profile: { display_name: '' }, real_name: 'Bob B.' }],
]);

/** A thread in pages of two messages, or of `size`. As in Slack, each page starts with the root. */
function open(
  messages: readonly { readonly ts?: string; readonly [more: string]: unknown }[],
  refuse: Readonly<Record<string, Error>> = {},
  users = people,
  size = 2,
) {
  const time = fakeTime();
  const calls: { method: string; args: Readonly<Record<string, unknown>> }[] = [];
  const call: SlackCall = async (method, args) => {
    calls.push({ method, args });
    await Promise.resolve();
    const error = refuse[method];
    if (error) throw error;
    if (method === 'users.info') return { ok: true, user: users.get(String(args['user'])) ?? {} };
    if (method === 'auth.test') return { ok: true, user_id: 'U0BOT', bot_id: 'B0BOT' };
    const at = Number(args['cursor'] ?? 0);
    const { oldest = '' } = args;
    const all = messages.filter(
      (one, n) => n === 0 || (typeof oldest === 'string' && (one.ts ?? '') > oldest),
    );
    const next = at + size < all.length ? { next_cursor: String(at + size) } : {};
    const page = [...(at === 0 ? [] : messages.slice(0, 1)), ...all.slice(at, at + size)];
    return { ok: true, messages: page, response_metadata: next };
  };
  const platform = createSlackPlatform({ call, time });
  return { time, platform, calls, count: (of: string) => calls.filter(({ method }) => method === of).length };
}

test('messages of old webhooks, whose fields are null, are read like others', async () => {
  const none = { user: null, thread_ts: null, bot_profile: null, files: null, reactions: null };
  const { time, platform } = open([
    { ts: ts(1), user: 'U0ADA', text: 'Hello' },
    { ts: ts(2), bot_id: 'B0OLD', subtype: 'bot_message', username: 'Alerts', text: 'disk full', ...none },
    { ts: ts(3), user: 'U0ADA', username: null, subtype: null, text: 'Oh.' },
    { ts: questionTurn.message, user: 'U0ADA', text: 'the question' },
  ]);
  const { messages } = await time.until(platform.fetchEarlierMessages(questionTurn));
  expect(messages.map(({ author, text, by }) => [author, text, by])).toEqual([
    ['ada', 'Hello', 'U0ADA'],
    ['Alerts', 'disk full', undefined],
    ['ada', 'Oh.', 'U0ADA'],
  ]);
});

test('the earlier messages are returned oldest first, with names that are requested once', async () => {
  const { time, platform, count } = open([
    { ts: ts(1), user: 'U0ADA', text: 'Hello &amp; <@U0BOT> look at <https://a.example|this>' },
    { ts: ts(2), user: 'U0BOB', text: '', files: [{ name: 'plan.pdf' }], subtype: 'file_share' },
    { ts: ts(3), user: 'U0BOT', bot_id: 'B0BOT', bot_profile: { name: 'parley' }, text: 'I did.' },
    {
      ts: '1700000003.500000',
      bot_id: 'B0CI',
      username: 'CI',
      subtype: 'bot_message',
      text: '',
      attachments: [{ title: 'Build 7', text: 'failed' }],
    },
    { ts: ts(4), user: 'U0ADA', subtype: 'channel_join', text: 'Ada has joined' },
    { ts: ts(5), user: 'U0ADA', text: 'So, <@U0BOBBY>?' },
    { ts: questionTurn.message, user: 'U0ADA', text: 'the question' },
    { nonsense: true },
  ]);
  expect((await time.until(platform.fetchEarlierMessages(questionTurn))).messages).toEqual([
    { author: 'ada', text: 'Hello & look at this (https://a.example)', by: 'U0ADA', at: 1_700_000_001_000 },
    { author: 'Bob B.', text: '(with plan.pdf)', by: 'U0BOB', at: 1_700_000_002_000 },
    { author: 'parley', text: 'I did.', by: 'U0BOT', at: 1_700_000_003_000, isBot: true },
    { author: 'CI', text: 'Build 7\nfailed', at: 1_700_000_003_500, isBot: true },
    { author: 'ada', text: 'So, @Bob B.?', by: 'U0ADA', at: 1_700_000_005_000 },
  ]);
  await time.until(platform.fetchEarlierMessages(questionTurn));
  expect(count('users.info')).toBe(3);
});

test('names that Slack does not tell within three seconds are left out, of authors and of mentions together', async () => {
  const time = fakeTime();
  const call: SlackCall = async (method) => {
    if (method === 'users.info') {
      await time.sleep(10_000);
      throw new Error('no response');
    }
    if (method === 'auth.test') return { ok: true, user_id: 'U0BOT', bot_id: 'B0BOT' };
    return { ok: true, messages: [{ ts: ts(1), user: 'U0ADA000', text: 'So, <@U0BOBBY>?' }] };
  };
  const start = time.now();
  const { messages } = await time.until(
    createSlackPlatform({ call, time }).fetchEarlierMessages(questionTurn),
  );
  expect(messages).toMatchObject([{ author: '<@U0ADA000>', text: 'So, @U0BOBBY?' }]);
  expect(time.now() - start).toBe(3_000);
});

test.each([
  ['evenly', (n: number) => n],
  ['most of it at the beginning', (n: number) => Math.sqrt(n * 3_000)],
  ['most of it at the end', (n: number) => (n * n * n) / 9_000_000],
])('of a thread with 3,000 messages the last are read in a few requests: %s', async (_, at) => {
  const stamp = (n: number) => (1_700_000_000 + at(n)).toFixed(6);
  const long = Array.from({ length: 3_000 }, (_one, n) => ({
    ts: stamp(n),
    user: 'U0ADA',
    text: `No ${n}.`,
  }));
  const { time, platform, count } = open(long, {}, people, 200);
  const thread = { ...questionTurn.thread, root: messageId(stamp(0)) };
  const { messages } = await time.until(
    platform.fetchEarlierMessages({ ...questionTurn, thread, message: messageId(stamp(3_000)) }),
  );
  expect(messages).toHaveLength(50);
  expect(messages.map(({ text }) => text)).toEqual(
    Array.from({ length: 50 }, (_one, n) => `No ${2_950 + n}.`),
  );
  expect(count('conversations.replies')).toBeLessThan(14);
});

test('of a thread that ended long before the question the last readable messages are returned', async () => {
  const long = Array.from({ length: 1_200 }, (_one, n) => ({
    ts: String(1_600_000_000 + n),
    user: 'U0ADA',
    text: `No ${n}.`,
  }));
  const { time, platform } = open(long, {}, people, 200);
  const thread = { ...questionTurn.thread, root: messageId('1600000000') };
  const { messages } = await time.until(platform.fetchEarlierMessages({ ...questionTurn, thread }));
  expect(messages.map(({ text }) => text)).toEqual(Array.from({ length: 50 }, (_one, n) => `No ${950 + n}.`));
});

test('of a thread with a pause before the question the last messages are returned', async () => {
  const long = Array.from({ length: 1_200 }, (_one, n) => ({
    ts: String(1_600_000_000 + n),
    user: 'U0ADA',
    text: `No ${n}.`,
  }));
  const { time, platform } = open(long, {}, people, 200);
  const thread = { ...questionTurn.thread, root: messageId('1600000000') };
  const late = { ...questionTurn, thread, message: messageId('1600006400') };
  const { messages } = await time.until(platform.fetchEarlierMessages(late));
  expect(messages.map(({ text }) => text)).toEqual(
    Array.from({ length: 50 }, (_one, n) => `No ${1_150 + n}.`),
  );
});

test('the last 50 messages are returned, cut to the last 12,000 characters', async () => {
  const many = Array.from({ length: 9 }, (_, n) => ({
    ts: ts(n),
    user: 'U0ADA',
    text: `${n}`.repeat(2_000),
  }));
  const { time, platform } = open(many);
  const { messages } = await time.until(platform.fetchEarlierMessages(questionTurn));
  expect(messages.map(({ text }) => text.charAt(0))).toEqual(['4', '5', '6', '7', '8']);
  const one = open([{ ts: ts(1), user: 'U0ADA', text: 'x'.repeat(20_000) }]);
  const [cut] = (await one.time.until(one.platform.fetchEarlierMessages(questionTurn))).messages;
  expect(cut?.text.length).toBeGreaterThan(11_900);
  expect(cut?.text.length).toBeLessThan(12_000);
});

test('without the scope for names the ids are returned, and names are requested once', async () => {
  const { time, platform, count } = open(
    [
      { ts: ts(1), user: 'U0ADA', text: 'One' },
      { ts: ts(2), user: 'U0BOB', text: 'Two' },
    ],
    { 'users.info': new SlackApiError('users.info', 'missing_scope') },
  );
  expect((await time.until(platform.fetchEarlierMessages(questionTurn))).messages).toEqual([
    { author: '<@U0ADA>', text: 'One', by: 'U0ADA', at: 1_700_000_001_000 },
    { author: '<@U0BOB>', text: 'Two', by: 'U0BOB', at: 1_700_000_002_000 },
  ]);
  const before = count('users.info');
  await time.until(platform.fetchEarlierMessages(questionTurn));
  expect(count('users.info')).toBe(before);
});

test.each([
  ['may not be read', new SlackApiError('conversations.replies', 'missing_scope')],
  ['is gone', new SlackApiError('conversations.replies', 'thread_not_found')],
  ['arrives too slowly', new SlackRateLimitError('conversations.replies', 60_000)],
  ['does not arrive', new Error('connection reset')],
])('nothing is returned for a thread that %s', async (_, error) => {
  const { time, platform } = open([], { 'conversations.replies': error });
  expect((await time.until(platform.fetchEarlierMessages(questionTurn))).messages).toEqual([]);
});

const garbled: SlackCall = (method) =>
  Promise.resolve(
    method === 'auth.test' ? { ok: true, user_id: 'U0BOT' } : { ok: true, messages: 'said in private' },
  );

test('a response that cannot be parsed is not logged', async () => {
  const time = fakeTime();
  const lines: string[] = [];
  const log = (event: string, facts?: object) => void lines.push(JSON.stringify({ event, ...facts }));
  const platform = createSlackPlatform({ call: garbled, time, log });
  expect((await time.until(platform.fetchEarlierMessages(questionTurn))).messages).toEqual([]);
  expect(lines).toEqual(['{"event":"slack.history-read-failed","reason":"ValiError"}']);
});

test('recordings are found on any page, without those asked with or after the question', async () => {
  const clip = { id: 'F1', name: 'clip.m4a', mimetype: 'audio/mp4', size: 9 };
  const text = { id: 'F2', name: 'a.txt', mimetype: 'text/plain', size: 9 };
  const { time, platform } = open([
    { ts: ts(1), user: 'U0ADA', files: [text] },
    { ts: ts(2), user: 'U0BOB', text: 'listen', files: [clip, text], subtype: 'file_share' },
    { ts: ts(3), user: 'U0ADA', text: 'no file' },
    { ts: ts(4), bot_id: 'B1', files: [{ ...clip, id: 'F4' }] },
    { ts: questionTurn.message, user: 'U0ADA', files: [clip] },
  ]);
  expect(await time.until(platform.findRecordings?.(questionTurn)?.() ?? Promise.reject())).toMatchObject([
    { id: ts(2), author: 'U0BOB', text: 'listen', attachments: [{ id: 'F1' }, { id: 'F2' }] },
    { id: ts(4), author: 'B1', attachments: [{ id: 'F4' }] },
  ]);
  expect(platform.findRecordings?.({ ...questionTurn, message: questionTurn.thread.root })).toBeUndefined();
});

test('a thread that Slack throttles is returned in part, with the time when reading may continue', async () => {
  const { time, call } = limitedAfter(1);
  const startedAt = time.now();
  const platform = createSlackPlatform({ call, time });
  const { messages, retryAfterMs } = await time.until(platform.fetchEarlierMessages(questionTurn));
  expect(messages.map(({ text }) => text)).toEqual(['No 0.', 'No 1.']);
  expect(retryAfterMs).toBe(60_000);
  expect(time.now() - startedAt).toBeLessThan(8_000);
});

test('a thread that Slack throttles completely returns the retry time, also for its recordings', async () => {
  const { time, call } = limitedAfter(0);
  const platform = createSlackPlatform({ call, time });
  expect(await time.until(platform.fetchEarlierMessages(questionTurn))).toEqual({
    messages: [],
    retryAfterMs: 60_000,
  });
  await expect(
    time.until(platform.findRecordings?.(questionTurn)?.() ?? Promise.resolve([])),
  ).rejects.toMatchObject({
    name: 'HistoryUnavailableError',
    retryAfterMs: 60_000,
  });
  const once = limitedAfter(1, { files: [{ id: 'F1', mimetype: 'audio/mp4', name: 'clip.m4a', size: 9 }] });
  const other = createSlackPlatform({ call: once.call, time: once.time });
  await once.time.until(other.fetchEarlierMessages(questionTurn));
  expect(await once.time.until(other.findRecordings?.(questionTurn)?.() ?? Promise.resolve([]))).toHaveLength(
    2,
  );
});

/** A thread of two pages of two messages each; Slack returns this many pages before it throttles. */
function limitedAfter(pages: number, more: object = {}) {
  const time = fakeTime();
  let left = pages;
  const call: SlackCall = async (method) => {
    if (method !== 'conversations.replies') return { ok: true, user_id: 'U0BOT', bot_id: 'B0BOT', user: {} };
    left -= 1;
    if (left < 0) throw new SlackRateLimitError(method, 60_000);
    const messages = [0, 1].map((n) => ({ ts: ts(n + 1), user: 'U0ADA', text: `No ${n}.`, ...more }));
    return { ok: true, messages, response_metadata: { next_cursor: 'more' } };
  };
  return { time, call };
}
