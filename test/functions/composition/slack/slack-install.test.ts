import { afterEach, describe, expect, test } from '@jest/globals';
import { createSlackInstall } from '../../../../functions/composition/slack/slack-install.ts';
import type { Install } from '../../../../shared/storage/installs/installs.ts';
import { installState } from '../../../fakes/install-state.ts';
import { slackWebApi } from '../../../fakes/slack-web-api.ts';

const NOW = 1_700_000_000_000;
const REDIRECT = 'https://bot.example.com/slack/oauth_redirect';
const requestContext = { domainName: 'bot.example.com' };
const GRANT = {
  ok: true,
  access_token: 'xoxb-1',
  token_type: 'bot',
  bot_user_id: 'UBOT',
  scope: 'chat:write,commands',
  app_id: 'A1',
  team: { id: 'T1', name: 'Acme' },
  enterprise: null,
  is_enterprise_install: false,
  authed_user: { id: 'U1' },
};
const AUTH_TEST = { ok: true, bot_id: 'B1', url: 'https://acme.slack.com/' };

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

type Options = {
  readonly access?: unknown;
  readonly publicUrl?: string;
  readonly save?: (install: Install) => Promise<void>;
};

async function setUp({ access = GRANT, publicUrl, save }: Options = {}) {
  const slack = await slackWebApi({ 'oauth.v2.access': access, 'auth.test': AUTH_TEST });
  closers.push(slack.close);
  const saved: Install[] = [];
  const logged: unknown[] = [];
  const handle = createSlackInstall({
    app: { load: () => Promise.resolve({ clientId: 'id', clientSecret: 'hush' }) },
    slackApiUrl: slack.slackApiUrl,
    publicUrl,
    installs: { save: save ?? (async (install) => void saved.push(install)) },
    now: () => NOW,
    log: (...line) => void logged.push(line),
  });
  return { handle, saved, logged, received: slack.received, slackApiUrl: slack.slackApiUrl };
}

const startPage = { routeKey: 'GET /slack/install', requestContext };
const returnPage = (query: Record<string, string>, cookie?: string) => ({
  routeKey: 'GET /slack/oauth_redirect',
  requestContext,
  queryStringParameters: query,
  ...(cookie !== undefined && { cookies: [`__Host-parley-install=${cookie}`, 'other=1'] }),
});

describe('the page that starts an install', () => {
  test('redirects to Slack with the scopes, the redirect URL and a state', async () => {
    const { handle, slackApiUrl } = await setUp();
    const { statusCode, headers } = await handle(startPage);
    const location = new URL(headers?.['location'] ?? '');
    expect(statusCode).toBe(302);
    expect(location.href).toMatch(new URL('/oauth/v2/authorize?', slackApiUrl).href);
    expect(Object.fromEntries(location.searchParams)).toMatchObject({
      client_id: 'id',
      scope: expect.stringContaining('chat:write,'),
      redirect_uri: REDIRECT,
      state: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/u),
    });
  });

  test('keeps the state in a cookie of this host alone for ten minutes', async () => {
    const { handle } = await setUp();
    const { headers } = await handle(startPage);
    const state = new URL(headers?.['location'] ?? '').searchParams.get('state');
    expect(headers?.['set-cookie']).toBe(
      `__Host-parley-install=${state}; Secure; HttpOnly; Path=/; Max-Age=600; SameSite=Lax`,
    );
  });

  test('keeps it without Secure on one machine, where there is no TLS', async () => {
    const { handle } = await setUp();
    const { headers } = await handle({ ...startPage, requestContext: { domainName: 'localhost:3000' } });
    expect(headers?.['set-cookie']).toMatch(
      /^parley-install=\S+; HttpOnly; Path=\/; Max-Age=600; SameSite=Lax$/u,
    );
    expect(headers?.['location']).toContain(encodeURIComponent('http://localhost:3000/slack/oauth_redirect'));
  });

  test('uses the public address for the redirect URL when there is one', async () => {
    const { handle } = await setUp({ publicUrl: 'https://d1.cloudfront.net' });
    const { headers } = await handle(startPage);
    const location = new URL(headers?.['location'] ?? '');
    expect(location.searchParams.get('redirect_uri')).toBe('https://d1.cloudfront.net/slack/oauth_redirect');
  });

  test('responds 400 to an event that is not from API Gateway, without logging an error', async () => {
    const { handle } = await setUp();
    const event = { routeKey: 'GET /slack/oauth_redirect', cookies: 'parley-install=hush' };
    expect(await handle(event)).toEqual({ statusCode: 400, body: '' });
  });
});

describe('the page that ends an install', () => {
  test('stores the workspace and logs no token', async () => {
    const { handle, saved, logged, received } = await setUp();
    const state = await installState('hush', NOW);
    const { statusCode, body, headers } = await handle(returnPage({ code: 'c1', state }, state));
    expect([statusCode, body]).toEqual([200, expect.stringContaining('Acme')]);
    expect(headers?.['set-cookie']).toMatch(/^__Host-parley-install=deleted;/u);
    expect(saved).toEqual([
      {
        workspace: 'T1',
        name: 'Acme',
        botToken: 'xoxb-1',
        botUser: 'UBOT',
        scopes: 'chat:write,commands',
        by: 'U1',
        at: NOW,
        renewal: undefined,
      },
    ]);
    expect(received[0]).toMatchObject({ args: { code: 'c1', redirect_uri: REDIRECT } });
    expect(logged).toEqual([['slack.installed', { workspace: 'T1' }]]);
  });

  test('stores an organization as one installation, with the expiry of its token', async () => {
    const { handle, saved } = await setUp({
      access: {
        ...GRANT,
        team: null,
        enterprise: { id: 'E1', name: 'Org' },
        is_enterprise_install: true,
        refresh_token: 'xoxe-1',
        expires_in: 43_200,
      },
    });
    const state = await installState('hush', NOW);
    await handle(returnPage({ code: 'c1', state }, state));
    expect(saved).toMatchObject([{ workspace: 'E1', name: 'Org', renewal: { token: 'xoxe-1' } }]);
    expect((saved[0]?.renewal?.until ?? 0) % 1_000).toBe(0);
  });

  test.each<[string, (own: string, other: string) => [Record<string, string>, string?]]>([
    ['has no cookie', (own) => [{ code: 'c', state: own }]],
    ['has the cookie of another install', (own, other) => [{ code: 'c', state: own }, other]],
    ['has neither state nor code', () => [{}]],
    ['has a state that another secret signed', (_, other) => [{ code: 'c', state: other }, other]],
    ['has no code', (own) => [{ state: own }, own]],
  ])('responds 400 and calls nothing when the browser %s', async (_, visit) => {
    const { handle, saved, received } = await setUp();
    const own = await installState('hush', NOW);
    const { statusCode } = await handle(returnPage(...visit(own, await installState('guess', NOW))));
    expect(statusCode).toBe(400);
    expect([saved, received]).toEqual([[], []]);
  });

  test.each([{ code: 'c' }, { code: 'c', state: '' }])(
    'starts again when one of Slack’s own pages started the install, and does not use its code: %o',
    async (query) => {
      const { handle, saved, received, logged } = await setUp();
      const own = await installState('hush', NOW);
      expect(await handle(returnPage(query, own))).toEqual({
        statusCode: 302,
        headers: { location: 'https://bot.example.com/slack/install', 'cache-control': 'no-store' },
        body: '',
      });
      expect([saved, received, logged]).toEqual([[], [], []]);
    },
  );

  test('responds 400 when the install started more than ten minutes ago', async () => {
    const { handle, received } = await setUp();
    const state = await installState('hush', NOW - 601_000);
    expect(await handle(returnPage({ code: 'c', state }, state))).toMatchObject({ statusCode: 400 });
    expect(received).toEqual([]);
  });

  test('says that nothing was installed when the person did not allow it', async () => {
    const { handle, saved } = await setUp();
    const state = await installState('hush', NOW);
    const { statusCode, body } = await handle(returnPage({ error: 'access_denied', state }, state));
    expect([statusCode, body]).toEqual([200, expect.stringContaining('Nothing was installed')]);
    expect(saved).toEqual([]);
  });

  test.each([
    ['400 to an invalid code', { ok: false, error: 'invalid_code' }, 400, 'invalid_code'],
    ['400 to a used code', { ok: false, error: 'code_already_used' }, 400, 'code_already_used'],
    [
      '502 when Slack rejects our secret',
      { ok: false, error: 'bad_client_secret' },
      502,
      'bad_client_secret',
    ],
    ['502 when the response is not JSON', '<html>', 502, 'unanswered'],
    ['502 when the response holds no bot', { ...GRANT, bot_user_id: undefined }, 502, 'internal'],
  ])('responds %s', async (_, access, status, code) => {
    const { handle, saved, logged } = await setUp({ access });
    const state = await installState('hush', NOW);
    const { statusCode } = await handle(returnPage({ code: 'made-up', state }, state));
    expect([statusCode, saved]).toEqual([status, []]);
    expect(logged).toEqual([['slack.install-failed', { code }]]);
  });

  test('responds 502 when the workspace cannot be stored', async () => {
    const { handle, logged } = await setUp({ save: () => Promise.reject(new Error('xoxb-1 not stored')) });
    const state = await installState('hush', NOW);
    const { statusCode, body } = await handle(returnPage({ code: 'c', state }, state));
    expect(statusCode).toBe(502);
    expect(JSON.stringify([body, logged])).not.toContain('xoxb');
  });
});
