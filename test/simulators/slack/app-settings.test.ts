import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createManifest } from '../../../shared/platforms/slack/index.ts';
import { createManualClock } from '../manual-clock.ts';
import { startSlackSimulator, type SlackSimulator } from './server.ts';

const clock = createManualClock();
const HOUR = 3_600_000;
let slack: SlackSimulator;
beforeAll(async () => {
  slack = await startSlackSimulator({
    clock: clock.now,
    enforceTiers: true,
    app: {
      appTokens: { 'xapp-1-A0PARLEY00-1-a': ['connections:write'], 'xapp-1-A0PARLEY00-2-b': [] },
      configTokens: { 'xoxe.xoxp-1-new': clock.now() + 12 * HOUR, 'xoxe.xoxp-1-old': clock.now() - 1 },
      manifest: { features: {} },
    },
  });
});
afterAll(() => slack.close());

async function call(method: string, token: string, args: Record<string, string> = {}): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}` };
  const body = new URLSearchParams(args);
  return (await fetch(slack.apiUrl + method, { method: 'POST', headers, body })).json();
}

const open = (token: string) => call('apps.connections.open', token);
const create = (content: unknown) =>
  call('apps.manifest.create', 'xoxe.xoxp-1-new', { manifest: JSON.stringify(content) });
const read = (token: string, app_id = 'A0PARLEY00') => call('apps.manifest.export', token, { app_id });

test('a socket is opened with an app-level token that has the scope, and with no other token', async () => {
  expect(await open('xapp-1-A0PARLEY00-1-a')).toMatchObject({ ok: true, url: expect.stringMatching(/^ws:/) });
  expect(await open('xapp-1-A0PARLEY00-1-a')).toMatchObject({ error: 'ratelimited' });
  expect(await open('xapp-1-A0PARLEY00-2-b')).toMatchObject({
    error: 'missing_scope',
    needed: 'connections:write',
  });
  expect(await open('xapp-1-A0OTHER000-3-c')).toMatchObject({ error: 'invalid_auth' });
  expect(await open(slack.botToken)).toMatchObject({ error: 'not_allowed_token_type' });
});

test('a manifest is exported with a configuration token for twelve hours, and only that of the app', async () => {
  expect(await read('xoxe.xoxp-1-new')).toEqual({ ok: true, manifest: { features: {} } });
  expect(await read('xoxe.xoxp-1-new', 'A0OTHER000')).toMatchObject({ error: 'invalid_app_id' });
  expect(await read('xoxe.xoxp-1-old')).toMatchObject({ error: 'token_expired' });
  expect(await read('xoxe.xoxp-1-none')).toMatchObject({ error: 'invalid_auth' });
  expect(await read(slack.botToken)).toMatchObject({ error: 'not_allowed_token_type' });
});

test('an app is created from a valid manifest, and from no other', async () => {
  expect(await create({ features: {} })).toMatchObject({
    error: 'invalid_manifest',
    errors: expect.arrayContaining([{ message: expect.any(String), pointer: '/display_information' }]),
  });
  const content = createManifest({ listening: 'channels', command: '/parley', shortcuts: [] });
  expect(await create(content)).toMatchObject({ error: 'ratelimited' });
  clock.advance(61_000);
  expect(await create(content)).toMatchObject({ ok: true, app_id: 'A0PARLEY00' });
  expect(await read('xoxe.xoxp-1-new')).toMatchObject({ manifest: content });
});

test('the bot of the app names the app, and no other bot does', async () => {
  expect(await call('bots.info', slack.botToken, { bot: 'B0PARLEY00' })).toMatchObject({
    ok: true,
    bot: { app_id: 'A0PARLEY00', user_id: slack.botUserId },
  });
  expect(await call('bots.info', slack.botToken, { bot: 'B0OTHER000' })).toMatchObject({
    error: 'bot_not_found',
  });
});
