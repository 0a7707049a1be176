import { once } from 'node:events';
import { mkdtemp, readFile, rm, appendFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { LogLevel, WebClient } from '@slack/web-api';
import { WebSocket } from 'ws';
import { createManualClock } from '../manual-clock.ts';
import { ADA } from './harness.ts';
import { type SlackSimulator, type SlackSimulatorOptions, startSlackSimulator } from './server.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function start(options: SlackSimulatorOptions = {}): Promise<SlackSimulator> {
  const simulator = await startSlackSimulator(options);
  closing.push(() => simulator.close());
  return simulator;
}

const client = ({ apiUrl, botToken }: SlackSimulator, token = botToken): WebClient =>
  new WebClient(token, {
    slackApiUrl: apiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logLevel: LogLevel.ERROR,
  });

describe("Slack's own client", () => {
  test('streams into a thread and reads it back', async () => {
    const simulator = await start();
    const web = client(simulator);
    const { channel, teamId } = simulator;
    expect(await web.auth.test()).toMatchObject({ ok: true, user_id: simulator.botUserId, team_id: teamId });
    const thread_ts = await simulator.say('Ada', '@parley hello');
    await web.assistant.threads.setStatus({ channel_id: channel, thread_ts, status: 'is thinking…' });
    const stream = web.chatStream({
      channel,
      thread_ts,
      recipient_team_id: teamId,
      recipient_user_id: ADA,
      buffer_size: 4,
    });
    await stream.append({ markdown_text: '**Hello**' });
    await stream.append({ markdown_text: ', Ada 👋 & co' });
    await stream.stop({ metadata: { event_type: 'turn', event_payload: { id: 't1' } } });
    const thread = await web.conversations.replies({ channel, ts: thread_ts, include_all_metadata: true });
    expect(thread.messages).toMatchObject([
      { user: ADA, text: `<@${simulator.botUserId}> hello`, reply_count: 1 },
      { user: simulator.botUserId, text: '**Hello**, Ada 👋 & co', metadata: { event_type: 'turn' } },
    ]);
    expect(simulator.calls.map((call) => call.method)).toContain('chat.appendStream');
    expect(JSON.stringify(simulator.calls)).not.toContain(simulator.botToken);
  });

  test('posts, updates and deletes, and gets errors, limits and a 401', async () => {
    const simulator = await start({ enforceTiers: true, clock: createManualClock().now });
    const web = client(simulator);
    const { channel } = simulator;
    const { ts = '' } = await web.chat.postMessage({
      channel,
      text: 'one',
      blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'one' } }],
    });
    expect(await web.chat.update({ channel, ts, text: 'two' })).toMatchObject({ ok: true, text: 'two' });
    expect(await web.chat.delete({ channel, ts })).toMatchObject({ ok: true, ts });
    await expect(web.chat.delete({ channel, ts })).rejects.toMatchObject({
      data: { error: 'message_not_found' },
    });
    await expect(client(simulator, 'xoxb-no').auth.test()).rejects.toMatchObject({
      data: { error: 'invalid_auth' },
    });
    for (let i = 0; i < 4; i += 1) await web.chat.postMessage({ channel, text: 'x' });
    await expect(web.chat.postMessage({ channel, text: 'x' })).rejects.toMatchObject({ retryAfter: 1 });
  });

  test('reads a thread page by page', async () => {
    const simulator = await start();
    const thread = await simulator.say('ada', 'root');
    for (let i = 0; i < 5; i += 1) await simulator.say('grace', `reply ${i}`, { thread });
    const sizes: number[] = [];
    const pages = client(simulator).paginate('conversations.replies', {
      channel: simulator.channel,
      ts: thread,
      limit: 2,
    });
    for await (const page of pages) {
      if ('messages' in page && Array.isArray(page.messages)) sizes.push(page.messages.length);
    }
    // Each page begins with the root.
    expect(sizes).toEqual([2, 3, 3]);
  });
});

describe('plain HTTP requests', () => {
  test("may have JSON bodies, and invalid ones get Slack's errors", async () => {
    const { apiUrl, botToken, channel } = await start();
    const post = async (method: string, body: string): Promise<unknown> => {
      const headers = {
        'content-type': 'application/json; charset=utf-8',
        authorization: `Bearer ${botToken}`,
      };
      const response = await fetch(`${apiUrl}${method}`, { method: 'POST', headers, body });
      return response.json();
    };
    expect(await post('chat.postMessage', JSON.stringify({ channel, text: 'hi' }))).toMatchObject({
      ok: true,
    });
    expect(await post('chat.postMessage', '{')).toEqual({ ok: false, error: 'invalid_json' });
    expect(await post('no.such', '{}')).toMatchObject({ error: 'unknown_method' });
    const tooLong = await fetch(`${apiUrl}chat.postMessage`, { method: 'POST', body: 'x'.repeat(2_000_001) });
    expect(tooLong.status).toBe(413);
  });
});

describe('configured faults', () => {
  test('apply to the requests they are configured for', async () => {
    const simulator = await start();
    const web = client(simulator);
    const { channel, faults } = simulator;
    const post = () => web.apiCall('chat.postMessage', { channel, text: 'x' });
    faults.add({ method: 'chat.postMessage', kind: 'refuse', error: 'fatal_error', skip: 1 });
    expect((await post()).ok).toBe(true);
    await expect(post()).rejects.toMatchObject({ data: { error: 'fatal_error' } });
    faults.add({ kind: 'busy', retryAfter: 7 });
    await expect(post()).rejects.toMatchObject({ retryAfter: 7 });
    faults.add({ kind: 'status', status: 503 });
    await expect(post()).rejects.toMatchObject({ statusCode: 503 });
    faults.add({ kind: 'cut' });
    await expect(post()).rejects.toThrow('fetch failed');
    faults.add({ kind: 'lose-reply' });
    await expect(post()).rejects.toThrow('fetch failed');
    const { messages = [] } = await web.conversations.history({ channel });
    expect(messages).toHaveLength(2);
    expect(simulator.calls.map((call) => call.outcome)).toEqual([
      'ok',
      'refuse',
      'busy',
      'status',
      'cut',
      'ok',
      'ok',
    ]);
  });

  test('that delay a response wait for their time', async () => {
    const clock = createManualClock();
    const simulator = await start({ clock: clock.now, after: clock.after });
    simulator.faults.add({ kind: 'delay', ms: 5_000 });
    const answered = client(simulator).auth.test();
    while (clock.waiting() === 0) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(5_000);
    expect(await answered).toMatchObject({ ok: true });
  });
});

describe('the data file', () => {
  test('keeps messages and growing streams over a restart, whatever a crash left at its end', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-slack-'));
    closing.push(() => rm(folder, { recursive: true }));
    const file = join(folder, 'slack', 'workspace.jsonl');
    const first = await startSlackSimulator({ file });
    const thread_ts = await first.say('ada', '@parley hello');
    const web = client(first);
    const { ts = '' } = await web.chat.startStream({
      channel: first.channel,
      thread_ts,
      recipient_team_id: first.teamId,
      recipient_user_id: ADA,
    });
    for (const markdown_text of ['Hel', 'lo']) {
      await web.chat.appendStream({ channel: first.channel, ts, markdown_text });
    }
    const before = first.core.changes();
    await first.close();
    await appendFile(file, '{"change":{"kind":"removal","channel":"C0GEN');
    const second = await start({ file });
    expect(second.core.changes()).toEqual(before);
    expect(await client(second).chat.stopStream({ channel: second.channel, ts })).toMatchObject({
      message: { text: 'Hello' },
    });
    for (const line of (await readFile(file, 'utf8')).trimEnd().split('\n')) {
      expect(() => void JSON.parse(line)).not.toThrow();
    }
    second.reset();
    expect(second.core.state.messages.size).toBe(0);
  });

  test('stays with its process when another cannot start', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-slack-'));
    closing.push(() => rm(folder, { recursive: true }));
    const file = join(folder, 'workspace.jsonl');
    const first = await startSlackSimulator({ file });
    await first.say('ada', 'one');
    await expect(startSlackSimulator({ file, port: Number(new URL(first.url).port) })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
    await first.say('ada', 'two');
    await first.close();
    const second = await start({ file });
    const messages = [...(second.core.state.messages.get(second.channel)?.values() ?? [])];
    expect(messages.map((message) => message.text)).toEqual(['one', 'two']);
  });
});

test('closing does not wait for connected pages and socket clients', async () => {
  const simulator = await startSlackSimulator();
  const feed = new WebSocket(`${simulator.url.replace('http', 'ws')}/page/feed`);
  await once(feed, 'message');
  const cut = once(feed, 'close');
  await simulator.close();
  await cut;
  await expect(fetch(simulator.url)).rejects.toThrow('fetch failed');
});

describe('several workspaces', () => {
  test('share one URL, each with its own token, people and files', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-slack-'));
    closing.push(() => rm(folder, { recursive: true }));
    const options = {
      others: [{}, { identity: { teamId: 'T0THIRD000' } }],
      file: join(folder, 'slack.jsonl'),
    };
    const simulator = await start(options);
    const [one, two, three] = simulator.workspaces;
    if (!one || !two || !three) throw new Error('not three');
    expect(one.core).toBe(simulator.core);
    expect(three.teamId).toBe('T0THIRD000');
    for (const { botToken, teamId, botUserId } of simulator.workspaces) {
      expect(await client(simulator, botToken).auth.test()).toMatchObject({
        team_id: teamId,
        user_id: botUserId,
      });
    }
    const ts = await two.say('ada', '@parley hi', { files: [{ name: 'a.txt', content: 'secret' }] });
    const { channel } = two;
    await expect(
      client(simulator, one.botToken).conversations.replies({ channel, ts }),
    ).rejects.toMatchObject({
      data: { error: 'channel_not_found' },
    });
    const { messages = [] } = await client(simulator, two.botToken).conversations.replies({ channel, ts });
    const url = messages[0]?.files?.[0]?.url_private_download ?? '';
    const read = async (token: string): Promise<string> =>
      (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).text();
    expect(await read(two.botToken)).toBe('secret');
    expect(await read(one.botToken)).toContain('Sign in');
    expect(simulator.calls.map((call) => call.team)).toContain(two.teamId);
    await simulator.close();
    const again = await start(options);
    expect(again.workspaces[1]?.core.state.messages.get(channel)?.size).toBe(1);
    expect(again.core.state.messages.size).toBe(0);
  });
});

test('at most 20 streams are started or stopped in a minute', async () => {
  const clock = createManualClock();
  const simulator = await start({ enforceTiers: true, clock: clock.now });
  const web = client(simulator);
  const { channel, teamId: recipient_team_id } = simulator;
  const thread_ts = await simulator.say('ada', '@parley hi');
  const begin = () => web.chat.startStream({ channel, thread_ts, recipient_team_id, recipient_user_id: ADA });
  const starts: string[] = [];
  for (let i = 0; i < 20; i += 1) starts.push((await begin()).ts ?? '');
  await expect(begin()).rejects.toMatchObject({ retryAfter: 60 });
  for (const ts of starts) await web.chat.stopStream({ channel, ts });
  clock.advance(60_000);
  const { ts = '' } = await begin();
  await web.chat.stopStream({ channel, ts });
});
