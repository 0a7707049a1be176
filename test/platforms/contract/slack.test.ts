import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import * as v from 'valibot';
import type { TurnRef } from '../../../shared/domain/index.ts';
import {
  createSlackPlatform,
  createSlackMessenger,
  createWebCall,
  createFileHosts,
} from '../../../shared/platforms/slack/index.ts';
import { memoryPostedMessages } from '../../fakes/posted-messages.ts';
import { type Fault, type SlackSimulator, startSlackSimulator } from '../../simulators/slack/index.ts';
import { turnAt } from '../slack/simulated-turn.ts';
import { contract, film } from './contract.ts';
import type { RequestKind, PlatformUnderTest, RequestFault } from './platform-under-test.ts';

let slack: SlackSimulator;
let side: PlatformUnderTest;

beforeAll(async () => {
  slack = await startSlackSimulator();
});
afterAll(() => slack.close());
beforeEach(() => {
  slack.reset();
  side = sideOf(slack);
});

contract('Slack', () => side, {
  message: 12_000,
  messages: 3,
  // Slack returns the first messages of a thread first.
  missing: 'later',
  // Answers in a thread need no interaction token.
  lacks: ['isSuperseded'],
});

/** Text is sent by streams or posts, and changed by appends, stops or updates. */
const METHODS: Readonly<Record<RequestKind, readonly string[]>> = {
  post: ['chat.startStream', 'chat.postMessage'],
  change: ['chat.appendStream', 'chat.stopStream', 'chat.update'],
  remove: ['chat.delete'],
};

function sideOf(simulator: SlackSimulator): PlatformUnderTest {
  const { apiUrl, botToken, botUserId, channel, faults, calls } = simulator;
  let now = Date.now();
  let requestCount = 0;
  let nth = 0;
  const time = {
    now: () => now,
    // The time limit of names, which the simulator tells in time.
    sleep: async (ms: number, signal?: AbortSignal) => {
      if (signal && ms === 3_000) await new Promise((_, reject) => signal.addEventListener('abort', reject));
      now += ms;
    },
  };
  const token = async () => botToken;
  const call = createWebCall({ slackApiUrl: apiUrl, token, timeoutMs: 2_000 });
  const platform = createSlackPlatform({
    call,
    time,
    botUserId,
    files: { token, hosts: createFileHosts(apiUrl) },
  });
  const turnOf = (question: string): TurnRef => turnAt(simulator, question);
  const repliesIn = async ({ thread }: TurnRef) => {
    const { messages } = await call('conversations.replies', { channel, ts: thread.root });
    return v.parse(replies, messages).slice(1);
  };
  return {
    platform,
    ask: async (text) => turnOf(await simulator.say('Ada', `@parley ${text}`)),
    askWithFile: async (name, content) => {
      const files = [{ name, content, mimetype: 'text/plain' }];
      const question = await simulator.say('Ada', '@parley read this', { files });
      const { messages } = await call('conversations.replies', { channel, ts: question });
      const [file] = v.parse(withFiles, messages);
      return { turn: turnOf(question), id: file?.files[0]?.id ?? '' };
    },
    upload: async ({ thread }, name) => {
      const stage = createSlackMessenger({
        call,
        time,
        botUserId,
        respondToUrl: unanswered,
        posts: memoryPostedMessages(time.now),
        origins: createFileHosts(apiUrl).own,
      });
      return stage.upload(thread, film(name), name);
    },
    say: async ({ thread }, text) => void (await simulator.say('Ada', text, { thread: thread.root })),
    denyReading: async () =>
      faults.add({ kind: 'refuse', method: 'conversations.history', error: 'not_in_channel', times: 99 }),
    visibleMessages: async (turn) => (await repliesIn(turn)).map(({ ts, text }) => ({ id: ts, text })),
    ephemeralTexts: async () => [],
    injectFault: (deed, what, times = 1) => {
      const method =
        what === 'too-long' ? 'chat.postMessage' : (METHODS[deed][nth % METHODS[deed].length] ?? '');
      nth += 1;
      faults.add({ ...FAULTS[what], method, times });
    },
    requests: () => {
      const fresh = calls.slice(requestCount);
      requestCount = calls.length;
      return fresh.map(({ method, args }) => ({ what: method, body: JSON.stringify(args) }));
    },
  };
}

const unanswered = () => Promise.reject(new Error('nothing was called'));
const withFiles = v.array(v.object({ files: v.array(v.object({ id: v.string() })) }));
const replies = v.array(v.object({ ts: v.string(), text: v.string() }));

const FAULTS: Readonly<Record<RequestFault, Fault>> = {
  'lose-reply': { kind: 'lose-reply' },
  cut: { kind: 'cut' },
  busy: { kind: 'busy', retryAfter: 1 },
  status: { kind: 'status', status: 502 },
  'too-long': { kind: 'refuse', error: 'msg_too_long' },
};
