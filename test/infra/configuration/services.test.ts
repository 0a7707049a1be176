import { afterEach, describe, expect, test } from '@jest/globals';
import { readCheckedConfig, checkServices, findParentChannel } from '../../../infra/configuration/index.ts';
import type { Check, Variables } from '../../../infra/configuration/index.ts';
import { createProbe } from '../../../infra/configuration/probe.ts';
import { GENERAL, startDiscordSimulator } from '../../simulators/discord/index.ts';
import { startSlackSimulator } from '../../simulators/slack/index.ts';
import { startUpstreamSimulator } from '../../simulators/upstream/index.ts';
import { serve } from './serve.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});
const opened = <T extends { close: () => unknown }>(one: T): T => {
  closing.push(() => one.close());
  return one;
};

/** A URL whose server has stopped. */
async function nobody(): Promise<string> {
  const server = await serve({});
  server.close();
  return server.url;
}

/** So long that a busy machine does not reach it. */
const LONG_MS = 10_000;
/** For services that do not answer. */
const SHORT_MS = 300;

/** The checks of the services with these variables; each has this time. */
async function checksOf(variables: Variables, timeoutMs = LONG_MS): Promise<readonly Check[]> {
  const { config, checks } = readCheckedConfig(variables);
  expect(checks.filter(({ result }) => result === 'fail')).toEqual([]);
  return (await checkServices(config, variables, () => createProbe(timeoutMs))).checks;
}
/** As lines: the result, the name, and whether the text contains all `parts`. */
const short = (checks: readonly Check[]): string[] => checks.map(({ result, name }) => `${result} ${name}`);
const text = (checks: readonly Check[]): string => JSON.stringify(checks);

const withSlack = (apiUrl: string, more: Variables = {}): Variables => ({
  SLACK_API_URL: apiUrl,
  SLACK_BOT_TOKEN: 'xoxb-simulated',
  SLACK_SIGNING_SECRET: 'ab'.repeat(16),
  ...more,
});

const granted = (...scopes: string[]) =>
  serve({
    'POST /auth.test': {
      body: { ok: true, user_id: 'U1', team_id: 'T1' },
      headers: { 'x-oauth-scopes': scopes.join(',') },
    },
  });

const withDiscord = (apiUrl: string, more: Variables = {}): Variables => ({
  DISCORD_API_URL: apiUrl,
  DISCORD_APPLICATION_ID: '901000000000000001',
  DISCORD_PUBLIC_KEY: 'ab'.repeat(32),
  DISCORD_BOT_TOKEN: 'simulated.discord.token',
  DISCORD_GATEWAY_URL: apiUrl.replace('http:', 'ws:'),
  ...more,
});
const startDiscord = async (identity = {}) => {
  const discord = opened(await startDiscordSimulator({ insistOnUserAgent: true, identity }));
  return { apiUrl: discord.apiUrl, key: { DISCORD_PUBLIC_KEY: discord.keys.publicKey } };
};

const withModels = (baseUrl: string, more: Variables = {}): Variables => ({
  UPSTREAM_BASE_URL: baseUrl,
  UPSTREAM_API_KEY: 'key',
  UPSTREAM_MODEL: 'model-e',
  ...more,
});
const startModels = async () => opened(await startUpstreamSimulator({ apiKey: 'key' })).baseUrl;

describe('Slack', () => {
  test('that accepts the token says who the bot is', async () => {
    const slack = opened(await startSlackSimulator({ botToken: 'xoxb-simulated' }));
    const variables = withSlack(slack.apiUrl);
    const { checks, slackBot } = await checkServices(readCheckedConfig(variables).config, variables);
    expect(short(checks)).toEqual(['pass SLACK_BOT_TOKEN', 'pass Slack message search']);
    expect(slackBot).toEqual({ userId: slack.botUserId, teamId: slack.teamId });
  });

  test('that rejects the token fails, in HTTP mode too', async () => {
    const slack = opened(await startSlackSimulator());
    const checks = await checksOf(withSlack(slack.apiUrl, { SLACK_BOT_TOKEN: 'xoxb-wrong' }));
    expect(checks).toEqual([
      {
        name: 'SLACK_BOT_TOKEN',
        result: 'fail',
        finding: 'Slack refuses it (invalid_auth).',
        fix: expect.stringContaining('OAuth & Permissions'),
      },
    ]);
  });

  test('whose bot is not SLACK_BOT_USER_ID fails', async () => {
    const slack = opened(await startSlackSimulator({ botToken: 'xoxb-simulated' }));
    const checks = await checksOf(withSlack(slack.apiUrl, { SLACK_BOT_USER_ID: 'U1' }));
    expect(short(checks)).toEqual([
      'pass SLACK_BOT_TOKEN',
      'fail SLACK_BOT_USER_ID',
      'pass Slack message search',
    ]);
  });

  test('that did not grant a scope warns what does not work then; without chat:write it fails', async () => {
    const all =
      'app_mentions:read,assistant:write,chat:write,channels:history,channels:read,commands,files:read,files:write,groups:history,groups:read,im:history,mpim:history,reactions:read,reactions:write,usergroups:read'.split(
        ',',
      );
    const some = opened(await granted(...all));
    const checks = await checksOf(withSlack(some.url));
    expect(short(checks)).toEqual([
      'pass SLACK_BOT_TOKEN',
      'skip Slack scopes',
      'warn Slack scopes',
      'skip Slack message search',
    ]);
    expect(text(checks)).toContain('canvases:write is not granted, which is optional: long answers');
    expect(text(checks)).toContain('users:read is missing: it knows ids rather than names');
    const mute = opened(await granted('im:history'));
    expect(short(await checksOf(withSlack(mute.url)))).toEqual(['pass SLACK_BOT_TOKEN', 'fail Slack scopes']);
  });

  test.each([
    ['invalid_auth', 'App-Level Tokens'],
    ['not_allowed_token_type', 'starts with xapp-'],
    ['missing_scope', 'connections:write'],
  ])('that does not open socket mode (%s) fails with what to do', async (error, part) => {
    const slack = opened(
      await serve({
        'POST /auth.test': { body: { ok: true, user_id: 'U1' } },
        'POST /apps.connections.open': { body: { ok: false, error } },
      }),
    );
    const checks = await checksOf(withSlack(slack.url, { SLACK_APP_TOKEN: 'xapp-1' }));
    expect(short(checks)).toEqual(['pass SLACK_BOT_TOKEN', 'fail SLACK_APP_TOKEN']);
    expect(checks.at(-1)?.fix).toContain(part);
  });

  test('that is unreachable, hangs or fails warns once', async () => {
    const app = { SLACK_APP_TOKEN: 'xapp-1' };
    const checks = await checksOf(withSlack(`${await nobody()}/`, app));
    expect(short(checks)).toEqual(['warn Slack']);
    expect(text(checks)).toContain('the connection was refused');
    const hanging = opened(await serve({}, ['POST /auth.test', 'POST /apps.connections.open']));
    const late = await checksOf(withSlack(hanging.url, app), SHORT_MS);
    expect(short(late)).toEqual(['warn Slack']);
    expect(text(late)).toContain('no answer within 0.3 s');
    const broken = opened(await serve({ 'POST /auth.test': { status: 503, body: '<html>' } }));
    expect(short(await checksOf(withSlack(broken.url)))).toEqual(['warn Slack']);
  });

  test('that is not Slack fails; a test server need not know who the bot is', async () => {
    const website = opened(await serve({ 'POST /auth.test': { body: '<!doctype html>' } }));
    expect(short(await checksOf(withSlack(website.url)))).toEqual(['fail SLACK_API_URL']);
    const replies = [{ status: 404 }, { body: {} }, { body: { ok: false, error: 'unknown_method' } }];
    for (const reply of replies) {
      const small = opened(await serve({ 'POST /auth.test': reply }));
      const checks = await checksOf(withSlack(small.url, { SLACK_BOT_USER_ID: 'U1' }));
      expect(short(checks)).toEqual(['warn SLACK_API_URL']);
    }
  });
});

describe('Discord', () => {
  test('that accepts the token warns what remains to be done: commands, and the interactions URL', async () => {
    const { apiUrl, key } = await startDiscord();
    expect(short(await checksOf(withDiscord(apiUrl, key)))).toEqual([
      'pass DISCORD_BOT_TOKEN',
      'warn Discord interactions',
      'warn Discord commands',
    ]);
  });

  test('tells the channel of a thread, and of nothing else', async () => {
    const discord = opened(await startDiscordSimulator({ insistOnUserAgent: true }));
    const root = discord.core.say('ada', 'Hello.');
    const thread = discord.core.thread('ada', root, 'A thread');
    const access = { apiUrl: discord.apiUrl, botToken: discord.botToken };
    const parentOf = (channel: string) => findParentChannel(access, channel, createProbe(LONG_MS));
    expect(await parentOf(thread)).toBe(GENERAL);
    expect(await parentOf(GENERAL)).toBeUndefined();
    expect(await parentOf('999000000000000001')).toBeUndefined();
  });

  test('that rejects the token fails', async () => {
    const { apiUrl } = await startDiscord();
    const checks = await checksOf(withDiscord(apiUrl, { DISCORD_BOT_TOKEN: 'a.wrong.token' }));
    expect(short(checks)).toEqual(['fail DISCORD_BOT_TOKEN']);
    expect(text(checks)).not.toContain('a.wrong.token');
  });

  test('with the key or the id of another application fails', async () => {
    const { apiUrl, key } = await startDiscord();
    expect(short(await checksOf(withDiscord(apiUrl)))).toContain('fail DISCORD_PUBLIC_KEY');
    const other = await checksOf(
      withDiscord(apiUrl, { ...key, DISCORD_APPLICATION_ID: '901000000000000002' }),
    );
    expect(short(other)).toEqual(['fail DISCORD_APPLICATION_ID']);
  });

  test('without Message Content fails only if all messages are to be read', async () => {
    const { apiUrl, key } = await startDiscord({ messageContent: false });
    expect(short(await checksOf(withDiscord(apiUrl, key)))).not.toContain('fail DISCORD_MESSAGES');
    const all = await checksOf(withDiscord(apiUrl, { ...key, DISCORD_MESSAGES: 'all' }));
    expect(short(all)).toContain('fail DISCORD_MESSAGES');
    expect(text(all)).toContain('Message Content Intent');
  });

  test('whose gateway is unreachable warns, and counts as unreachable', async () => {
    const { apiUrl, key } = await startDiscord();
    const gateway = (await nobody()).replace('http:', 'ws:');
    const variables = withDiscord(apiUrl, { ...key, DISCORD_GATEWAY_URL: gateway });
    const { checks, reached } = await checkServices(readCheckedConfig(variables).config, variables);
    expect(short(checks)).toContain('warn DISCORD_GATEWAY_URL');
    expect(reached.discord).toBe(false);
    const near = withDiscord(apiUrl, key);
    expect((await checkServices(readCheckedConfig(near).config, near)).reached.discord).toBe(true);
  });

  test('that is unreachable or does not know the request warns', async () => {
    expect(short(await checksOf(withDiscord(await nobody())))).toEqual(['warn Discord']);
    const other = opened(await serve({}));
    expect(short(await checksOf(withDiscord(other.url)))).toEqual(['warn Discord']);
  });
});

describe('the models', () => {
  test('that are listed pass', async () => {
    const baseUrl = await startModels();
    expect(short(await checksOf(withModels(baseUrl)))).toEqual(['pass UPSTREAM_BASE_URL']);
    const list = { body: { data: [{ id: 'model-e' }] } };
    const { url } = opened(await serve({ 'GET /v4/models': list, 'GET /v1beta/openai/models': list }));
    const urls = [`${baseUrl}/`, `${baseUrl}/v1`, `${baseUrl}/v1/`, `${url}/v4`, `${url}/v1beta/openai/`];
    for (const one of urls)
      expect(short(await checksOf(withModels(one)))).toEqual(['pass UPSTREAM_BASE_URL']);
  });

  test('with a rejected key fail', async () => {
    const checks = await checksOf(withModels(await startModels(), { UPSTREAM_API_KEY: 'other' }));
    expect(short(checks)).toEqual(['fail UPSTREAM_API_KEY']);
    expect(text(checks)).not.toContain('other');
  });

  test('that are not listed warn with the nearest listed one', async () => {
    const checks = await checksOf(
      withModels(await startModels(), { UPSTREAM_MODEL: 'model-ee', OTHER_MODELS: 'zzz, model-e' }),
    );
    expect(short(checks)).toEqual(['warn UPSTREAM_MODEL', 'warn OTHER_MODELS']);
    expect(checks[0]?.fix).toContain('Did you mean model-e?');
    expect(checks[1]?.fix).toMatch(/^It lists: /);
  });

  test.each(['/v1/models', '/nowhere', '/api/v3'])(
    'at a wrong path (%s) fail with the right URL',
    async (path) => {
      const baseUrl = await startModels();
      const checks = await checksOf(withModels(baseUrl + path));
      expect(short(checks)).toEqual(['fail UPSTREAM_BASE_URL']);
      expect(checks[0]?.fix).toBe(`UPSTREAM_BASE_URL=${baseUrl}`);
    },
  );

  test('of a server that lists none, or responds 404, warn', async () => {
    const listless = opened(await serve({ 'GET /v1/chat/completions': { status: 405 } }));
    expect(short(await checksOf(withModels(listless.url)))).toEqual(['warn UPSTREAM_MODEL']);
    const nothing = opened(await serve({}));
    const checks = await checksOf(withModels(nothing.url));
    expect(short(checks)).toEqual(['warn UPSTREAM_BASE_URL']);
    expect(checks[0]?.finding).toContain('404');
    const website = opened(await serve({ 'GET /v1/models': { body: '<!doctype html><p>Hi' } }));
    expect(text(await checksOf(withModels(website.url)))).toContain('a web page');
  });

  test('that redirect elsewhere fail, and the key is not sent there', async () => {
    const other = opened(await serve({}));
    const moved = opened(
      await serve({ 'GET /v1/models': { status: 301, headers: { location: `${other.url}/v1/models` } } }),
    );
    const checks = await checksOf(withModels(moved.url));
    expect(short(checks)).toEqual(['fail UPSTREAM_BASE_URL']);
    expect(checks[0]?.fix).toContain(other.url);
    expect(other.calls).toEqual([]);
  });

  test('that are unreachable warn within the time limit', async () => {
    expect(short(await checksOf(withModels(await nobody())))).toEqual(['warn UPSTREAM_BASE_URL']);
    const hanging = opened(await serve({}, ['GET /v1/models']));
    expect(text(await checksOf(withModels(hanging.url), SHORT_MS))).toContain('no answer within 0.3 s');
    expect(text(await checksOf(withModels('https://parley.invalid'), SHORT_MS))).toMatch(
      /no host of this name|looked up/,
    );
  });
});
