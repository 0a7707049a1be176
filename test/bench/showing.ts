import { performance } from 'node:perf_hooks';
import { setTimeout as after } from 'node:timers/promises';
import { channelId, messageId, type TurnRef, userId, workspaceId } from '../../shared/domain/index.ts';
import type { Platform } from '../../shared/platforms/ports/index.ts';
import { createSlackPlatform, createWebCall, type SlackCall } from '../../shared/platforms/slack/index.ts';
import { systemTime } from '../../shared/runtime/time.ts';
import { fakeTime } from '../platforms/slack/fake-slack.ts';
import { createDirectClient } from '../simulators/slack/direct-client.ts';
import { createWorkspace, type SlackSimulator, startSlackSimulator } from '../simulators/slack/index.ts';
import { prose } from './prose.ts';
import { percentile, type Row } from './report-table.ts';

const TOKEN_MS = 20;
/** Of English prose, including the space. */
const TOKEN_BYTES = 4.5;
const CALLS = [
  [100, 4],
  [1_000, 16],
  [10_000, 110],
] as const;
const CPU_ANSWERS = 20;
const THREADS = 200;
const THREAD_TOKENS = 400;

/** The cost of showing an answer in Slack: requests, processor time, and many concurrent answers in one process. */
export async function showing(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [tokens, limit] of CALLS) {
    const value = await callsOf(tokens);
    rows.push({ what: `Slack calls per answer of ${tokens} tokens`, value, unit: 'calls', limit });
  }
  rows.push({ what: 'CPU per streamed answer of 1,000 tokens', value: await cpu(), unit: 'ms' });
  return [...rows, ...(await crowd())];
}

const tokensOf = (count: number, seed: number): string[] => {
  const text = prose(Math.round(count * TOKEN_BYTES), seed);
  return Array.from({ length: count }, (_, i) =>
    text.slice(Math.round(i * TOKEN_BYTES), Math.round((i + 1) * TOKEN_BYTES)),
  );
};

/** All requests of one answer at 20 ms per token, on a simulated clock, in a Slack with its documented limits. */
export async function callsOf(tokens: number): Promise<number> {
  const time = fakeTime();
  const workspace = createWorkspace({ clock: time.now, enforceTiers: true });
  const { users, botUserId } = workspace.identity;
  const root = workspace.say(users[0]?.id ?? '', 'Tell me.');
  let calls = 0;
  const direct = createDirectClient(workspace);
  const call: SlackCall = (method, args) => {
    calls += 1;
    return direct(method, args);
  };
  const platform = createSlackPlatform({ call, time, botUserId });
  const turn = turnIn(workspace.identity.teamId, workspace.channel, root, users[0]?.id);
  const reply = platform.reply(turn, []);
  const words = tokensOf(tokens, tokens);
  for (const word of words) {
    reply.write(word);
    await time.advance(TOKEN_MS);
  }
  await time.until(reply.publish(words.join('')));
  return calls;
}

/** The bot's own part, without Slack's client and HTTP: splitting, sanitizing, pacing. */
async function cpu(): Promise<number> {
  await callsOf(1_000);
  const before = process.cpuUsage();
  for (let i = 0; i < CPU_ANSWERS; i += 1) await callsOf(1_000);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / CPU_ANSWERS;
}

/**
 * 200 concurrent answers with the real client, HTTP and clock. Slack's limits are off, as only they would be
 * measured.
 */
async function crowd(): Promise<Row[]> {
  const slack = await startSlackSimulator();
  const call = createWebCall({ slackApiUrl: slack.apiUrl, token: () => Promise.resolve(slack.botToken) });
  const methodLimits = { appendsPerMinute: 100 * THREADS, updatesPerMinute: 50 * THREADS };
  const platform = createSlackPlatform({ call, time: systemTime, botUserId: slack.botUserId, methodLimits });
  const roots = await Promise.all(Array.from({ length: THREADS }, () => slack.say('ada', 'Tell me.')));
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let maxBefore = before;
  const watch = setInterval(() => (maxBefore = Math.max(maxBefore, process.memoryUsage().rss)), 100);
  const cpuBefore = process.cpuUsage();
  const lags = await Promise.all(roots.map((root, seed) => stream(slack, platform, root, seed)));
  const { user, system } = process.cpuUsage(cpuBefore);
  clearInterval(watch);
  await slack.close();
  const what = `${THREADS} threads at once`;
  return [
    { what: `${what}: lag of the last word, median`, value: percentile(lags, 0.5), unit: 'ms' },
    { what: `${what}: lag of the last word, p99`, value: percentile(lags, 0.99), unit: 'ms' },
    {
      what: `${what}: memory, with the simulated Slack`,
      value: (maxBefore - before) / 1024 / 1024,
      unit: 'MB',
    },
    {
      what: `${what}: CPU of each, with the simulated Slack`,
      value: (user + system) / 1_000 / THREADS,
      unit: 'ms',
    },
  ];
}

/** The time from the last word of an answer until it is complete in Slack (ms). */
async function stream(
  slack: SlackSimulator,
  platform: Platform,
  root: string,
  seed: number,
): Promise<number> {
  const reply = platform.reply(turnIn(slack.teamId, slack.channel, root, slack.users[0]?.id), []);
  const words = tokensOf(THREAD_TOKENS, seed);
  const begin = performance.now();
  for (const [i, word] of words.entries()) {
    reply.write(word);
    await after(Math.max(0, begin + (i + 1) * TOKEN_MS - performance.now()));
  }
  const last = performance.now();
  await reply.publish(words.join(''));
  return performance.now() - last;
}

function turnIn(team: string, channel: string, root: string, asker = ''): TurnRef {
  const workspace = workspaceId(team);
  const thread = {
    platform: 'slack',
    workspace,
    channel: channelId(channel),
    root: messageId(root),
  } as const;
  return { thread, message: messageId(root), asker: userId(asker), askerWorkspace: workspace };
}
