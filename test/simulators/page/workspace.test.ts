import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { linksFor } from './links.js';
import { applyChange, createState, isStoppable, threadOf, topLevel, typedAgain } from './workspace.js';
import { typed } from '../slack/typed-text.ts';
import { type SlackSimulator, startSlackSimulator } from '../slack/server.ts';
import { ADA, GRACE, setUp, text } from '../slack/harness.ts';

let simulator: SlackSimulator | undefined;
afterEach(() => simulator?.close());

const start = async (): Promise<SlackSimulator> => (simulator = await startSlackSimulator());

const nextMessage = async (feed: WebSocket): Promise<string> => String((await once(feed, 'message'))[0]);

/** The result of a connection to the feed: `open`, or the status of its refusal. */
async function feedFor(url: string, headers: Record<string, string>): Promise<'open' | number | undefined> {
  const feed = new WebSocket(`${url.replace('http', 'ws')}/page/feed`, { headers });
  const answered = Promise.withResolvers<'open' | number | undefined>();
  feed.on('open', () => answered.resolve('open'));
  feed.on('unexpected-response', (_request, { statusCode }) => answered.resolve(statusCode));
  const outcome = await answered.promise;
  feed.on('error', () => undefined);
  feed.terminate();
  return outcome;
}

async function say(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const all = { 'content-type': 'application/json', ...headers };
  return fetch(`${url}/page/say`, { method: 'POST', headers: all, body: JSON.stringify(body) });
}

const badRequest = (error: string) => ({ status: 400, body: { error } });

describe('the page', () => {
  test('is served with all its resources, and may load nothing else', async () => {
    const { url } = await start();
    const values = new Set<string>();
    const visit = async (path: string): Promise<void> => {
      if (values.has(path)) return;
      values.add(path);
      const response = await fetch(`${url}${path}`);
      expect([path, response.status]).toEqual([path, 200]);
      expect(response.headers.get('content-security-policy')).toContain(
        "default-src 'none'; script-src 'self'",
      );
      const content = await response.text();
      for (const [, value] of content.matchAll(/["'(](\/page\/[a-z]+\.[a-z]+)["')]/g))
        await visit(value ?? '');
      for (const [, value] of content.matchAll(/from '\.\/([a-z-]+\.js)'/g)) await visit(`/page/${value}`);
    };
    await visit('/');
    expect(values.size).toBeGreaterThan(10);
    expect((await fetch(`${url}/page/../slack/server.ts`)).status).toBe(404);
  });

  test('opens App Home, and runs the shortcuts of a message', async () => {
    const running = await start();
    const { url, channel } = running;
    const ask = async (name: string, body: object) => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${url}/page/${name}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      return response.status;
    };
    const ts = await running.say('grace', 'We meet on Monday.');
    expect(await ask('home', { user: 'ada' })).toBe(200);
    expect(await ask('shortcut', { user: 'ada', channel, ts, name: 'summarise' })).toBe(200);
    expect(await ask('shortcut', { user: 'ada', channel, ts: '1.1', name: 'summarise' })).toBe(400);
    expect(await ask('react', { user: ADA, channel, ts, name: 'memo' })).toBe(200);
    expect(await ask('react', { user: ADA, channel, ts: '1.1', name: 'memo' })).toBe(400);
    // No Home exists yet in which anything could be clicked.
    expect(await ask('presshome', { user: 'ada', block: 0, element: 0 })).toBe(400);
  });

  test('receives everything first, then each change', async () => {
    const running = await start();
    const { url, botUserId } = running;
    await running.say('ada', 'before');
    const feed = new WebSocket(`${url.replace('http', 'ws')}/page/feed`);
    const first = await nextMessage(feed);
    expect(first).toMatch(/^\{"event":"everything".*before/su);
    expect(first).toContain(botUserId);
    expect(first).not.toContain('xoxb-');
    await running.say('ada', 'after');
    const change = await nextMessage(feed);
    expect(change).toMatch(/^\{"event":"change".*after/su);
    feed.close();
  });

  test.each([
    ['localhost', 200],
    ['[::1]:80', 200],
    ['192.168.0.7', 200],
    ['laptop', 200],
    ['laptop.local:1234', 200],
    // A foreign DNS name that points here: its pages would have this origin.
    ['elsewhere.example', 421],
    ['127.0.0.1.elsewhere.example:3000', 421],
  ])('requested as %s, responds %d', async (host, status) => {
    const { url } = await start();
    const answered = Promise.withResolvers<IncomingMessage>();
    request(url, { headers: { host } }, answered.resolve).once('error', answered.reject).end();
    const response = await answered.promise;
    expect(response.statusCode).toBe(status);
    expect(await readText(response)).toMatch(
      status === 200 ? /<title>/u : /^Open this page by the IP address/u,
    );
    expect(await feedFor(url, { host })).toBe(status === 200 ? 'open' : 403);
  });

  test('links for another machine lead to this one, and not to the dashboard, which only this one opens', () => {
    const links = { neighbour: 'http://127.0.0.1:4813', dashboard: 'http://127.0.0.1:3000/dashboard' };
    for (const name of ['127.0.0.1', 'localhost', '[::1]']) expect(linksFor(links, name)).toEqual(links);
    expect(linksFor(links, 'laptop')).toEqual({ neighbour: 'http://laptop:4813/' });
    expect(linksFor({ dashboard: links.dashboard }, '192.168.0.7')).toEqual({});
  });

  test('reveals nothing to other sites in the same browser', async () => {
    const { url } = await start();
    expect(await feedFor(url, { origin: url })).toBe('open');
    expect(await feedFor(url, { origin: 'https://elsewhere.example' })).toBe(403);
  });

  test('spoken text becomes a clip as Slack’s own recorder makes it', async () => {
    const { url, channel, core } = await start();
    const files = [{ spoken: 'We meet at ten.' }];
    expect((await say(url, { user: ADA, channel, text: '@parley', files })).status).toBe(200);
    const [{ file } = {}] = core.state.files.values();
    expect(file).toMatchObject({ mimetype: 'video/mp4', clip: { kind: 'slack_audio' } });
    expect(file?.clip?.durationMs).toBeGreaterThan(1_000);
    expect((await say(url, { user: ADA, channel, text: '', files: [{ spoken: '' }] })).status).toBe(400);
  });

  test('nobody can reply to an ephemeral message', async () => {
    const { url, channel, core, botToken } = await start();
    const { message_ts: thread } = core.call(
      'chat.postEphemeral',
      { channel, user: ADA, text: 'psst' },
      botToken,
    );
    const reply = await say(url, { user: ADA, channel, text: 'what?', thread });
    expect([reply.status, await reply.json()]).toEqual([
      400,
      { error: 'Slack has no threads below messages that only one person sees.' },
    ]);
  });

  test('a message that is sent again with its id is not posted again', async () => {
    const { url, channel, core } = await start();
    const id = '0d3f2f0a-5c1b-4d9e-9a57-2f1f5f0e7c11';
    const body = { user: ADA, channel, text: '@parley hi', id };
    const answers = [await say(url, body), await say(url, body)];
    const [first, second] = await Promise.all(answers.map((answer) => answer.json()));
    expect(second).toEqual(first);
    const [message, ...more] = core.state.messages.get(channel)?.values() ?? [];
    expect([message?.clientId, more]).toEqual([id, []]);
    expect((await say(url, { ...body, id: 'none' })).status).toBe(400);
  });

  test('lets a person write, but not from another site', async () => {
    const { url, channel, core } = await start();
    const body = { user: ADA, channel, text: '@parley hi' };
    const response = await say(url, body, { origin: url });
    expect(response.status).toBe(200);
    expect((await say(url, body, { origin: 'https://elsewhere.example' })).status).toBe(403);
    expect((await say(url, body, { 'content-type': 'text/plain' })).status).toBe(403);
    expect((await say(url, { ...body, user: 'U0NOBODY' })).status).toBe(400);
    expect((await say(url, { ...body, thread: '1.000000' })).status).toBe(400);
    expect((await say(url, 'no message')).status).toBe(400);
    expect(core.state.messages.get(channel)?.size).toBe(1);
    const [thread] = core.state.messages.get(channel)?.keys() ?? [];
    const slash = await say(url, { ...body, thread, text: '/parley help' });
    expect([slash.status, await slash.json()]).toEqual([
      400,
      { error: '/parley is not supported in threads. Sorry!' },
    ]);
    expect((await say(url, { ...body, thread, text: 'and/or' })).status).toBe(200);
  });

  test('lets a person edit, delete, stop and click what they may', async () => {
    const { url, channel, core, botToken, teamId } = await start();
    const act = async (action: string, body: object): Promise<unknown> => {
      const all = { method: 'POST', headers: { 'content-type': 'application/json' } };
      const response = await fetch(`${url}/page/${action}`, { ...all, body: JSON.stringify(body) });
      return { status: response.status, body: await response.json() };
    };
    const done = { status: 200, body: {} };
    const thread_ts = core.say(ADA, '@parley hi');
    const mine = { user: ADA, channel, ts: thread_ts };
    expect(await act('edit', { ...mine, text: '@parley hello' })).toEqual(done);
    expect(core.state.messages.get(channel)?.get(thread_ts)?.text).toBe('<@U0PARLEY00> hello');
    expect(await act('edit', { ...mine, user: GRACE, text: 'x' })).toEqual(
      badRequest(`${GRACE} has no message ${thread_ts}`),
    );
    expect(await act('edit', mine)).toEqual(badRequest('Not understood'));
    expect(await act('stop', mine)).toEqual(badRequest('Nothing is under way here'));
    const recipient = { recipient_team_id: teamId, recipient_user_id: ADA };
    const button = { type: 'button', text: { type: 'plain_text', text: 'Go' } };
    const chunks = [{ type: 'blocks', blocks: [{ type: 'actions', elements: [button] }] }];
    const started = core.call('chat.startStream', { channel, thread_ts, chunks, ...recipient }, botToken);
    const press = { user: GRACE, channel, ts: started['ts'], block: 0, element: 0 };
    expect(await act('press', press)).toEqual({
      status: 200,
      body: { acknowledged: false, reason: 'connection_failed' },
    });
    expect(await act('press', { ...press, element: 1 })).toMatchObject({ status: 400 });
    expect(await act('stop', { ...mine, user: GRACE })).toEqual(done);
    expect(await act('remove', mine)).toEqual(done);
    expect(core.state.messages.get(channel)?.get(thread_ts)?.tombstone).toBe(true);
    expect(await act('constructor', mine)).toMatchObject({ status: 404 });
  });
});

test('the page applies changes to the same state as the simulator', () => {
  const { workspace, call, channel, recipient, clock } = setUp();
  const page = createState();
  for (const change of workspace.changes()) applyChange(page, change);
  workspace.onChange((change) => applyChange(page, change));
  const root = workspace.say(ADA, '@parley hi');
  call('assistant.threads.setStatus', { channel_id: channel, thread_ts: root, status: 'is thinking…' });
  expect(page.statuses).toEqual(workspace.state.statuses);
  page.stoppable = true;
  expect(isStoppable(page, channel, root, clock.now())).toBe(false);
  call('agents.sessions.setStatus', { channel_id: channel, thread_ts: root, status: 'processing' });
  expect(page.sessions).toEqual(workspace.state.sessions);
  expect(isStoppable(page, channel, root, clock.now())).toBe(true);
  call('assistant.threads.setStatus', { channel_id: channel, thread_ts: root, status: 'is at it…' });
  expect(isStoppable(page, channel, root, clock.now())).toBe(false);
  const ts = text(call('chat.startStream', { channel, thread_ts: root, ...recipient })['ts']);
  call('chat.appendStream', { channel, ts, markdown_text: 'Hello' });
  expect(isStoppable(page, channel, root, clock.now())).toBe(true);
  workspace.stop(ADA, 'general', root);
  call('agents.sessions.setStatus', { channel_id: channel, thread_ts: root, status: 'active' });
  expect(isStoppable(page, channel, root, clock.now())).toBe(false);
  call('chat.postEphemeral', { channel, thread_ts: root, user: GRACE, text: 'psst' });
  const deletedTs = text(call('chat.postMessage', { channel, text: 'x' })['ts']);
  call('chat.delete', { channel, ts: deletedTs });
  expect(page.channels).toEqual(workspace.state.channels);
  expect(page.messages).toEqual(workspace.state.messages);
  expect(page.statuses).toEqual(workspace.state.statuses);
  expect(threadOf(page, channel, root, ADA).map((message) => message.text)).toEqual([
    '<@U0PARLEY00> hi',
    'Hello',
  ]);
  expect(threadOf(page, channel, root, GRACE)).toHaveLength(3);
  expect(topLevel(page, channel, ADA)).toMatchObject([{ message: { ts: root }, replies: [{ ts }] }]);
});

test.each([
  '@parley hi',
  'a < b & c > d',
  'see https://a.example/?b=c&d=e',
  '@ada `<@x>` **b**',
  'no one: @nobody',
])('the page shows the author their message as it was typed: %s', (words) => {
  const { workspace } = setUp();
  const { identity } = workspace;
  const page = { bot: { id: identity.botUserId, name: identity.botName }, users: identity.users };
  expect(typedAgain(page, typed(words, identity))).toBe(words);
});
