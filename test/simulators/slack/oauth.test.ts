import { afterEach, beforeEach, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { createManualClock } from '../manual-clock.ts';
import { type SlackSimulator, startSlackSimulator } from './server.ts';

const APP = { clientId: '10.20', clientSecret: 'hush', rotates: true };
const BACK = 'https://bot.example.com/slack/oauth_redirect';
const MANIFEST = { oauth_config: { redirect_urls: ['https://bot.example.com/slack/oauth_redirect'] } };

const clock = createManualClock();
let slack: SlackSimulator;
beforeEach(async () => {
  slack = await startSlackSimulator({
    clock: clock.now,
    oauth: APP,
    app: { manifest: MANIFEST },
    others: [{ identity: { enterprise: { id: 'E1ORG00000', name: 'Org', orgInstall: true } } }],
  });
});
afterEach(() => slack.close());

function authorize(scope: string, back = BACK, team = slack.teamId) {
  const query = new URLSearchParams({ client_id: APP.clientId, scope, redirect_uri: back, state: 's', team });
  return fetch(`${slack.url}/oauth/v2/authorize?${query}`);
}

const granted = v.object({ access_token: v.string(), refresh_token: v.string(), scope: v.string() });

async function access(args: Record<string, string>): Promise<unknown> {
  const body = new URLSearchParams({ client_id: APP.clientId, client_secret: APP.clientSecret, ...args });
  return (await fetch(`${slack.apiUrl}oauth.v2.access`, { method: 'POST', body })).json();
}

async function install(scope: string, team?: string) {
  const page = await (await authorize(scope, BACK, team)).text();
  const code = /[?&;]code=(\w+)/u.exec(page)?.[1] ?? '';
  return v.parse(granted, await access({ code, redirect_uri: BACK }));
}

async function call(token: string, method: string, args: Record<string, string> = {}) {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(slack.apiUrl + method, {
    method: 'POST',
    headers,
    body: new URLSearchParams(args),
  });
  return { scopes: response.headers.get('x-oauth-scopes'), answer: await response.json() };
}

test('a token has the scopes that were asked for, and no others', async () => {
  const { access_token: token, scope } = await install('chat:write,users:read,no:scope');
  expect(scope).toBe('chat:write,users:read');
  expect(await call(token, 'users.info', { user: 'U0ADA00000' })).toMatchObject({
    answer: { ok: true },
    scopes: scope,
  });
  const { answer } = await call(token, 'usergroups.list');
  expect(answer).toMatchObject({ error: 'missing_scope', needed: 'usergroups:read', provided: scope });
});

test('a token reads no file without the scope', async () => {
  const ts = await slack.say('ada', 'hi', { files: [{ name: 'a.txt', content: 'words' }] });
  const [file = ''] = slack.core.state.messages.get(slack.channel)?.get(ts)?.files ?? [];
  const read = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${slack.url}/files-pri/${slack.teamId}-${file}/a.txt`, { headers })).text();
  };
  const { access_token: token } = await install('files:read');
  expect(await read(token)).toBe('words');
  expect(await read((await install('chat:write')).access_token)).toContain('Sign in');
  slack.core.uninstall();
  expect(await read(token)).toContain('Sign in');
});

test.each([
  [BACK, 200],
  [`${BACK}/below`, 200],
  [`${BACK}s`, 400],
  ['https://bot.example.com/slack', 400],
  ['http://bot.example.com/slack/oauth_redirect', 400],
  ['https://evil.example.com/slack/oauth_redirect', 400],
])('the manifest decides where the browser may be sent: %s', async (back, status) => {
  expect((await authorize('chat:write', back)).status).toBe(status);
});

test('the tokens of a removed app are refused, also after a new install', async () => {
  const { access_token: token, refresh_token } = await install('users:read');
  slack.core.uninstall();
  expect(await call(token, 'auth.test')).toMatchObject({ answer: { error: 'account_inactive' } });
  expect(await call(slack.botToken, 'auth.test')).toMatchObject({ answer: { error: 'account_inactive' } });
  expect(await access({ grant_type: 'refresh_token', refresh_token })).toEqual({
    ok: false,
    error: 'invalid_refresh_token',
  });
  const { access_token: next } = await install('users:read');
  expect(await call(next, 'auth.test')).toMatchObject({ answer: { ok: true } });
  expect(await call(token, 'auth.test')).toMatchObject({ answer: { error: 'account_inactive' } });
});

test('the token of an organization is refused for a workspace from which it removed the app', async () => {
  const org = slack.workspaces[1];
  if (!org) throw new Error('there is no organization');
  const { access_token: token } = await install('users:read', org.teamId);
  const user = org.users[0]?.id ?? '';
  expect(await call(token, 'users.info', { user })).toMatchObject({ answer: { ok: true } });
  org.core.revokeAccess(['T9OTHER000']);
  expect(await call(token, 'users.info', { user })).toMatchObject({ answer: { ok: true } });
  org.core.revokeAccess([org.teamId]);
  expect(await call(token, 'users.info', { user })).toMatchObject({
    answer: { error: 'team_access_not_granted' },
  });
  expect(await call(token, 'auth.test')).toMatchObject({ answer: { ok: true } });
  await install('users:read', org.teamId);
  expect(await call(token, 'users.info', { user })).toMatchObject({ answer: { ok: true } });
});
