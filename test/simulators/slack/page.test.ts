import { afterEach, describe, expect, test } from '@jest/globals';
import { applyChange, createState, threadOf, topLevel } from '../page/workspace.js';
import { type SlackSimulator, startSlackSimulator } from './server.ts';
import { ADA, GRACE, setUp, text } from './set-up.ts';

let simulator: SlackSimulator | undefined;
afterEach(() => simulator?.close());

const start = async (): Promise<SlackSimulator> => (simulator = await startSlackSimulator());

async function say(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const all = { 'content-type': 'application/json', ...headers };
  return fetch(`${url}/page/say`, { method: 'POST', headers: all, body: JSON.stringify(body) });
}

describe('the page', () => {
  test('is served with all that it asks for, and may load nothing else', async () => {
    const { url } = await start();
    const seen = new Set<string>();
    const visit = async (path: string): Promise<void> => {
      if (seen.has(path)) return;
      seen.add(path);
      const response = await fetch(`${url}${path}`);
      expect([path, response.status]).toEqual([path, 200]);
      expect(response.headers.get('content-security-policy')).toContain(
        "default-src 'none'; script-src 'self'",
      );
      const content = await response.text();
      for (const [, found] of content.matchAll(/["'(](\/page\/[a-z]+\.[a-z]+)["')]/g))
        await visit(found ?? '');
      for (const [, found] of content.matchAll(/from '\.\/([a-z]+\.js)'/g)) await visit(`/page/${found}`);
    };
    await visit('/');
    expect(seen.size).toBeGreaterThan(10);
    expect((await fetch(`${url}/page/../slack/server.ts`)).status).toBe(404);
  });

  test('tells everything first, then each change', async () => {
    const running = await start();
    const { url, botUserId } = running;
    await running.say('ada', 'before');
    const feed = await fetch(`${url}/page/feed`);
    const reader = feed.body?.pipeThrough(new TextDecoderStream()).getReader();
    let got = '';
    const until = async (words: string): Promise<void> => {
      while (!got.includes(words)) got += (await reader?.read())?.value ?? '';
    };
    await until('before');
    expect(got).toContain('event: everything');
    expect(got).toContain(botUserId);
    expect(got).not.toContain('xoxb-');
    await running.say('ada', 'after');
    await until('after');
    expect(got).toContain('event: change');
    await reader?.cancel();
  });

  test('lets a person speak, but not from another site', async () => {
    const { url, channel, core } = await start();
    const body = { user: ADA, channel, text: '@parley hi' };
    const said = await say(url, body, { origin: url });
    expect(said.status).toBe(200);
    expect((await say(url, body, { origin: 'https://elsewhere.example' })).status).toBe(403);
    expect((await say(url, body, { 'content-type': 'text/plain' })).status).toBe(403);
    expect((await say(url, { ...body, user: 'U0NOBODY' })).status).toBe(400);
    expect((await say(url, { ...body, thread: '1.000000' })).status).toBe(400);
    expect((await say(url, 'no message')).status).toBe(400);
    expect(core.state.messages.get(channel)?.size).toBe(1);
  });
});

test('the page adds up changes to the same state as the simulator', () => {
  const { workspace, call, channel, recipient } = setUp();
  const page = createState();
  for (const change of workspace.changes()) applyChange(page, change);
  workspace.onChange((change) => applyChange(page, change));
  const root = workspace.say(ADA, '@parley hi');
  call('assistant.threads.setStatus', { channel_id: channel, thread_ts: root, status: 'is thinking…' });
  expect(page.statuses).toEqual(workspace.state.statuses);
  const ts = text(call('chat.startStream', { channel, thread_ts: root, ...recipient })['ts']);
  call('chat.appendStream', { channel, ts, markdown_text: 'Hello' });
  call('chat.postEphemeral', { channel, thread_ts: root, user: GRACE, text: 'psst' });
  const gone = text(call('chat.postMessage', { channel, text: 'x' })['ts']);
  call('chat.delete', { channel, ts: gone });
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
