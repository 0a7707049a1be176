import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';

// Starts the whole system as a user does, asks as Slack would, asks again in the thread, reads the answers, stops it.

const READY_MS = 60_000;
const ANSWER_MS = 20_000;
const STOP_MS = 5_000;

const addresses = v.object({
  api: v.pipe(v.string(), v.url()),
  page: v.pipe(v.string(), v.url()),
  slack: v.object({
    apiUrl: v.pipe(v.string(), v.url()),
    signingSecret: v.string(),
    botToken: v.string(),
    botUserId: v.string(),
    teamId: v.string(),
    channel: v.string(),
    users: v.array(v.object({ id: v.string() })),
  }),
});
type Addresses = v.InferOutput<typeof addresses>;

const replies = v.object({
  ok: v.boolean(),
  messages: v.optional(
    v.array(v.object({ user: v.optional(v.string()), text: v.optional(v.string(), '') })),
    [],
  ),
});

/** A port that nobody uses now. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}

/** Calls `look` until it finds something. Rejects, saying what was waited for, after `ms`. */
async function until<T>(what: string, ms: number, look: () => Promise<T | undefined>): Promise<T> {
  const end = performance.now() + ms;
  while (performance.now() < end) {
    const found = await look();
    if (found !== undefined) return found;
    await sleep(50);
  }
  throw new Error(`${what} did not appear within ${ms / 1000} s`);
}

async function started(data: string, ended: () => boolean): Promise<Addresses> {
  return until('local.json', READY_MS, async () => {
    if (ended()) throw new Error('npm start ended by itself');
    const text = await readFile(join(data, 'local.json'), 'utf8').catch(() => undefined);
    return text === undefined ? undefined : v.parse(addresses, JSON.parse(text));
  });
}

/** Posts what somebody wrote as Slack does, signed: a mention, or a reply in `thread`. Resolves with its `ts`. */
async function say(local: Addresses, words: string, thread?: string): Promise<string> {
  const { botUserId, channel, signingSecret, teamId, users } = local.slack;
  const milliseconds = Date.now();
  const seconds = Math.floor(milliseconds / 1000);
  const ts = `${seconds}.${String(milliseconds % 1000).padStart(3, '0')}000`;
  const event = {
    ...(thread === undefined
      ? { type: 'app_mention', text: `<@${botUserId}> ${words}` }
      : { type: 'message', channel_type: 'channel', text: words, thread_ts: thread }),
    user: users[0]?.id ?? 'U0SMOKE',
    ts,
    event_ts: ts,
    channel,
  };
  const body = JSON.stringify({
    type: 'event_callback',
    team_id: teamId,
    api_app_id: 'A0SMOKE',
    event_id: `Ev${randomBytes(5).toString('hex').toUpperCase()}`,
    event_time: seconds,
    event,
  });
  const hmac = createHmac('sha256', signingSecret).update(`v0:${seconds}:${body}`).digest('hex');
  const response = await fetch(new URL('/slack/events', local.api), {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-Slack-Request-Timestamp': String(seconds),
      'X-Slack-Signature': `v0=${hmac}`,
    },
    body,
    signal: AbortSignal.timeout(5_000),
  });
  if (response.status !== 200) throw new Error(`the event was answered with ${response.status}`);
  return ts;
}

/** Resolves with what the bot said in the thread once it has said `what`. */
async function answer(local: Addresses, ts: string, what: string): Promise<string> {
  const { apiUrl, botToken, botUserId, channel } = local.slack;
  const base = apiUrl.endsWith('/') ? apiUrl : `${apiUrl}/`;
  return until(`an answer with “${what}”`, ANSWER_MS, async () => {
    const response = await fetch(new URL('conversations.replies', base), {
      method: 'POST',
      headers: { Authorization: `Bearer ${botToken}`, 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ channel, ts }),
      signal: AbortSignal.timeout(5_000),
    });
    const { messages } = v.parse(replies, await response.json());
    return messages.find(({ user, text }) => user === botUserId && text.includes(what))?.text;
  });
}

/** As Ctrl+C and a container do it: npm gets the signal, passes it on, and what it runs gets it beside. */
async function stopped({ pid }: ChildProcess, exit: Promise<number | null>): Promise<number> {
  const start = performance.now();
  if (pid !== undefined) process.kill(-pid, 'SIGTERM');
  const timer = new AbortController();
  const late = sleep(STOP_MS, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`still running ${STOP_MS / 1000} s after SIGTERM`);
  });
  const code = await Promise.race([exit, late]).finally(() => timer.abort());
  if (code !== 0) throw new Error(`npm start exited with code ${code}; expected 0`);
  return performance.now() - start;
}

const since = (start: number): string => `${((performance.now() - start) / 1000).toFixed(1)} s`;

const data = await mkdtemp(join(tmpdir(), 'parley-smoke-'));
const start = performance.now();
const port = await freePort();
const args = ['start', '--', '--port', String(port), '--data', data];
const child = spawn('npm', args, { stdio: ['ignore', 'inherit', 'inherit'], detached: true });
let over = false;
const exit = new Promise<number | null>((resolve) => {
  child.once('close', (code) => {
    over = true;
    resolve(code);
  });
});
try {
  const local = await started(data, () => over);
  console.log(`smoke: ready after ${since(start)}`);
  const page = await fetch(local.page, { signal: AbortSignal.timeout(5_000) });
  if (!page.ok) throw new Error(`the page was answered with ${page.status}`);
  const asked = performance.now();
  const thread = await say(local, 'What is 6 * 7?');
  console.log(`smoke: answered after ${since(asked)}: ${await answer(local, thread, '42')}`);
  const again = performance.now();
  await say(local, 'What did I ask first?', thread);
  console.log(`smoke: answered after ${since(again)}: ${await answer(local, thread, '6 * 7?')}`);
  console.log(`smoke: stopped after ${((await stopped(child, exit)) / 1000).toFixed(1)} s`);
  const still = await fetch(local.api, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
  if (still !== undefined) throw new Error('something still answers at the address of the API');
} catch (error) {
  console.error(`smoke: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  // The whole group, npm and all it started, so that a failed run leaves nothing behind.
  if (child.pid !== undefined) {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // Nothing is left of it.
    }
  }
  await rm(data, { recursive: true, force: true });
}
