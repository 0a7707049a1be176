import { afterEach, beforeEach, expect, test } from '@jest/globals';
import {
  type Card,
  channelId,
  messageId,
  type Thread,
  userId,
  workspaceId,
} from '../../../shared/domain/index.ts';
import type { Platform, CardMessenger, Upload } from '../../../shared/platforms/ports/index.ts';
import {
  createSlackPlatform,
  createSlackMessenger,
  createWebCall,
  createFileHosts,
} from '../../../shared/platforms/slack/index.ts';
import { memoryPostedMessages } from '../../fakes/posted-messages.ts';
import { type SlackSimulator, startSlackSimulator } from '../../simulators/slack/index.ts';
import { turnAt } from './simulated-turn.ts';

let slack: SlackSimulator;
let stage: CardMessenger;
let platform: Platform;
let thread: Thread;
let logged: string[];
let now: number;

beforeEach(async () => {
  now = Date.parse('2026-11-22T12:00:00Z');
  logged = [];
  const clock = (): number => now;
  slack = await startSlackSimulator({ clock, distribution: 'outside-marketplace' });
  const time = {
    now: clock,
    sleep: async (ms: number) => {
      now += ms;
    },
  };
  const { apiUrl, botToken, botUserId } = slack;
  const call = createWebCall({ slackApiUrl: apiUrl, token: async () => botToken });
  const log = (event: string): void => void logged.push(event);
  platform = createSlackPlatform({ call, time, botUserId, log });
  const origins = createFileHosts(apiUrl).own;
  stage = createSlackMessenger({
    call,
    time,
    log,
    botUserId,
    respondToUrl: async () => {},
    posts: memoryPostedMessages(clock),
    origins,
  });
  const root = messageId(await slack.say('ada', '@parley hello'));
  const [workspace, channel] = [workspaceId(slack.teamId), channelId(slack.channel)];
  thread = { platform: 'slack', workspace, channel, root };
});
afterEach(() => slack.close());

const card = (markdown: string): Card => ({
  title: 'Video',
  tone: 'working',
  parts: [{ kind: 'text', markdown }],
});

const withFile = (name: string): Card => {
  const content = new TextEncoder().encode('first words');
  return {
    title: 'Words',
    tone: 'good',
    parts: [{ kind: 'files', files: [{ name, mimetype: 'text/plain', content }] }],
  };
};

async function* oneByte(): AsyncIterable<Uint8Array> {
  yield await Promise.resolve(Buffer.from('x'));
}

const film = (): Upload => ({
  name: 'video.mp4',
  mimetype: 'video/mp4',
  bytes: 1,
  content: oneByte(),
  by: userId('U0ADA00000'),
});

const READS = ['conversations.history', 'conversations.replies'];
const reads = (): string[] =>
  slack.calls.map(({ method }) => method).filter((method) => READS.includes(method));

const own = () =>
  [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])].filter(
    ({ user }) => user === slack.botUserId,
  );

/** Another part of Parley has just read history. */
async function useUpReads(): Promise<void> {
  const { channel } = slack;
  const read = (method: string) => slack.core.call(method, { channel, ts: thread.root }, slack.botToken);
  READS.forEach(read);
  await Promise.resolve();
}

test('cards and files are posted, found, changed and removed without reading history', async () => {
  const first = await stage.postCard(thread, card('Half done.'), 'job-1');
  expect(await stage.postCard(thread, card('Nearly done.'), 'job-1')).toBe(first);
  const words = await stage.postCard(thread, withFile('words.txt'), 'voice-1');
  const sent = await stage.upload(thread, film(), 'job-1');
  expect(await stage.upload(thread, film(), 'job-1')).toBe(sent);
  expect(await stage.findUploads(thread, 'job-1')).toEqual([sent]);
  expect(own().map(({ ts }) => ts)).toEqual([first, words, sent]);
  expect(JSON.stringify(own()[0]?.blocks)).toContain('Nearly done.');
  await stage.removeCard(thread, words);
  await stage.removeCard(thread, sent);
  expect([...slack.core.state.files.values()].map(({ file }) => file.deleted)).toEqual([true, true]);
  expect(own().map(({ ts }) => ts)).toEqual([first]);
  expect(reads()).toEqual([]);
});

test('a card that may have been posted is searched for where Slack lets the app read', async () => {
  slack.faults.add({ method: 'chat.postMessage', kind: 'lose-reply', times: 1 });
  const first = await stage.postCard(thread, card('Half done.'), 'job-1');
  expect(own().map(({ ts }) => ts)).toEqual([first]);
  expect(reads()).toEqual(['conversations.replies']);
});

test('a card that may have been posted is posted again where Slack does not let the app read', async () => {
  await useUpReads();
  slack.faults.add({ method: 'chat.postMessage', kind: 'lose-reply', times: 1 });
  const started = now;
  const second = await stage.postCard(thread, card('Half done.'), 'job-1');
  expect(own()).toHaveLength(2);
  expect(own().at(-1)?.ts).toBe(second);
  expect(now - started).toBeLessThan(20_000);
});

test('messages of an earlier attempt are reported as unknown while Slack does not let the app read', async () => {
  const turn = turnAt(slack, thread.root);
  expect(await platform.findOrphanedMessages(turn)).toEqual({ ofTurn: [], unattributed: [] });
  expect(await platform.findOrphanedMessages(turn)).toEqual({
    ofTurn: [],
    unattributed: [],
    isIncomplete: true,
  });
  now += 61_000;
  expect(await platform.findOrphanedMessages(turn)).toEqual({ ofTurn: [], unattributed: [] });
});

test('the messages of an answer are removed without reading if all are recorded, else with reading where Slack allows it', async () => {
  const turn = turnAt(slack, thread.root);
  const posts = await platform.reply(turn, []).publish('An answer.');
  await platform.deleteAnswer(turn, posts, true);
  expect([own(), reads()]).toEqual([[], []]);
  const more = await platform.reply(turn, []).publish('Another answer.');
  await useUpReads();
  await platform.deleteAnswer(turn, more);
  expect(own()).toEqual([]);
  expect(logged).toContain('slack.orphan-search-skipped');
});
