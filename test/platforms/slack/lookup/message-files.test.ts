import { afterEach, expect, test } from '@jest/globals';
import { messageId } from '../../../../shared/domain/index.ts';
import { createSlackPlatform, createWebCall } from '../../../../shared/platforms/slack/index.ts';
import { type SlackCall, SlackApiError } from '../../../../shared/platforms/slack/api/call.ts';
import {
  type SlackSimulator,
  type SlackSimulatorOptions,
  startSlackSimulator,
} from '../../../simulators/slack/index.ts';
import { ADA } from '../../../simulators/slack/harness.ts';
import { fakeTime, turn } from '../fake-slack.ts';
import { turnAt } from '../simulated-turn.ts';

let slack: SlackSimulator | undefined;
afterEach(() => slack?.close());

const files = [{ name: 'plan.txt', content: 'x' }];

async function open(options: SlackSimulatorOptions = {}) {
  let now = Date.parse('2026-11-21T12:00:00Z');
  const clock = () => now;
  const simulator = await startSlackSimulator({ clock, ...options });
  slack = simulator;
  const time = {
    now: clock,
    sleep: async (ms: number) => {
      now += ms;
    },
  };
  const call = createWebCall({
    slackApiUrl: simulator.apiUrl,
    token: async () => simulator.botToken,
    timeoutMs: 2_000,
  });
  const platform = createSlackPlatform({ call, time, botUserId: simulator.botUserId });
  const list = (root: string, message = root, withThread = false) =>
    platform.listFiles({ ...turnAt(simulator, root), message: messageId(message) }, withThread);
  return { simulator, platform, list };
}

test('the files of a message are listed, of one that begins a thread and of a reply', async () => {
  const { simulator, list } = await open();
  const root = await simulator.say('ada', '@parley sum it up', { files });
  const reply = await simulator.say('grace', '@parley and this', {
    thread: root,
    files: [...files, ...files],
  });
  const bare = await simulator.say('grace', '@parley why?', { thread: root });
  for (const withThread of [false, true]) {
    expect(await list(root, root, withThread)).toMatchObject([
      { name: 'plan.txt', mimetype: 'text/plain', bytes: 1 },
    ]);
    expect(await list(root, reply, withThread)).toMatchObject([{ name: 'plan.txt' }, { name: 'plan.txt' }]);
    expect(await list(root, bare, withThread)).toEqual([]);
    expect(await list('1.000001', '1.000001', withThread)).toEqual([]);
  }
});

test.each([false, true])(
  'a recording of a forwarded message is listed if the person forwards their own (with the thread: %s)',
  async (withThread) => {
    const { simulator, list } = await open();
    const clip = [
      { name: 'clip.m4a', content: 'x', clip: { kind: 'slack_audio', durationMs: 4_200 } },
    ] as const;
    const own = await simulator.say('ada', 'As I said.', { files: clip });
    const other = await simulator.say('grace', 'As I said.', { files: clip });
    const root = await simulator.say('ada', '@parley sum it up', { forward: own });
    const reply = await simulator.say('ada', '@parley and this', { thread: root, forward: own });
    const foreign = await simulator.say('ada', '@parley and this', { thread: root, forward: other });
    expect(await list(root, root, withThread)).toHaveLength(1);
    expect(await list(root, reply, withThread)).toHaveLength(1);
    expect(await list(root, foreign, withThread)).toEqual([]);
  },
);

test('the files are as they are now unless they are requested with the thread, whose pages are kept for two minutes', async () => {
  const { simulator, list } = await open();
  const root = await simulator.say('ada', 'Here it is.');
  const reply = await simulator.say('ada', '@parley sum it up', { thread: root, files });
  expect(await list(root, reply, true)).toHaveLength(1);
  simulator.core.remove(ADA, 'general', reply);
  expect(await list(root, reply, true)).toHaveLength(1);
  expect(await list(root, reply)).toEqual([]);
});

test('a reply beyond the first page of a long thread is asked for by itself, and a deleted one has no files', async () => {
  const { simulator, list } = await open();
  const root = await simulator.say('ada', 'Shall we?');
  for (let n = 0; n < 200; n += 1) await simulator.say('grace', `No ${n}.`, { thread: root });
  const reply = await simulator.say('ada', '@parley sum it up', { thread: root, files });
  expect(await list(root, reply, true)).toHaveLength(1);
  expect(simulator.calls).toHaveLength(2);
  expect(await list(root, reply)).toHaveLength(1);
  expect(simulator.calls).toHaveLength(3);
  expect(await list(root, (Number(root) + 9).toFixed(6))).toEqual([]);
});

test('outside of the Marketplace the files and the messages before a question are one request', async () => {
  const { simulator, platform, list } = await open({ distribution: 'outside-marketplace' });
  const root = await simulator.say('ada', 'Here it is.');
  const question = await simulator.say('ada', '@parley sum it up', { thread: root, files });
  expect(await list(root, question, true)).toHaveLength(1);
  const { messages, retryAfterMs } = await platform.fetchEarlierMessages({
    ...turnAt(simulator, root),
    message: messageId(question),
  });
  expect([messages.map(({ text }) => text), retryAfterMs]).toEqual([['Here it is.'], undefined]);
});

test('outside of the Marketplace the files of a message that begins a thread do not take the one read of a thread per minute', async () => {
  const { simulator, platform, list } = await open({ distribution: 'outside-marketplace' });
  const root = await simulator.say('ada', '@parley sum it up', { files });
  expect(await list(root)).toHaveLength(1);
  const later = await simulator.say('grace', '@parley why?', { thread: root });
  const { messages } = await platform.fetchEarlierMessages({
    ...turnAt(simulator, root),
    message: messageId(later),
  });
  expect(messages).toHaveLength(1);
  // Another one within the minute is not known, and nothing waits for it.
  expect(await list(await simulator.say('ada', '@parley and this', { files }))).toBeUndefined();
});

test.each(['missing_scope', 'channel_not_found', 'internal_error'])(
  'files that Slack does not show (%s) are not known',
  async (code) => {
    const call: SlackCall = (method) => Promise.reject(new SlackApiError(method, code));
    const time = fakeTime();
    const logged: string[] = [];
    const log = (event: string) => void logged.push(event);
    const platform = createSlackPlatform({ call, time, log });
    expect(await time.until(platform.listFiles({ ...turn, message: turn.thread.root }))).toBeUndefined();
    expect(logged).toEqual(['slack.files-read-failed']);
  },
);
