import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createServer } from 'node:http';
import { buildSlackManifest } from '../../../../infra/cli/slack-manifest.ts';
import { createProbe, type Variables } from '../../../../infra/configuration/index.ts';
import { listen } from '../../../../infra/local/listen.ts';
import { runConnect } from '../../../../infra/parley/connect/run-connect.ts';
import { createVerifier } from '../../../../shared/platforms/discord/index.ts';
import { CONFIG_TOKEN, SIGNING_SECRET, startWorld, type World } from '../doctor/world.ts';
import { CREDENTIALS, REGION, startFakeAws } from '../fake-aws.ts';

const SLACK_URL = 'https://abc.execute-api.eu-central-1.amazonaws.com/slack/events';
const REDIRECT_URL = 'https://abc.execute-api.eu-central-1.amazonaws.com/slack/oauth_redirect';
const GENERATED = 'Zx9'.repeat(11);

let world: World;
const secrets = new Map<string, string>();
const closing: (() => void)[] = [];
beforeEach(async () => {
  world = await startWorld({ isNew: true });
  secrets.clear();
  for (const [name, content] of Object.entries({
    signing: { current: GENERATED },
    bot: { botToken: '-', botUserId: '-' },
    discord: { botToken: '-' },
    upstream: { apiKey: 'old', more: ['another'] },
  }))
    secrets.set(name, JSON.stringify(content));
});
afterEach(async () => {
  for (const close of closing.splice(0)) close();
  await world.close();
});

/** The fronts for interactions and events, with this public key. `pong`: the status of the response to a PING for events. */
async function startFronts(publicKey: string, pong: number): Promise<string> {
  const verify = createVerifier(publicKey);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const isValid = verify(Buffer.concat(chunks), (name) => request.headers[name]?.toString(), Date.now());
      if (!isValid) response.writeHead(401).end();
      else if (request.url === '/discord/events') response.writeHead(pong).end();
      else response.writeHead(200, { 'content-type': 'application/json' }).end('{"type":1}');
    });
  });
  closing.push(() => void server.close());
  return `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}`;
}

async function connect(
  changes: Variables = {},
  {
    publicKey = world.discord.keys.publicKey,
    stack = 'Parley',
    secretError,
    pong = 204,
  }: {
    readonly publicKey?: string;
    readonly stack?: string;
    readonly secretError?: string;
    readonly pong?: number;
  } = {},
) {
  const api = await startFronts(publicKey, pong);
  const outputs = {
    SlackEventsUrl: SLACK_URL,
    DiscordInteractionsUrl: `${api}/discord/interactions`,
    DiscordEventsUrl: `${api}/discord/events`,
    SlackSigningSecret: 'signing',
    SlackBotSecret: 'bot',
    DiscordBotSecret: 'discord',
    UpstreamSecret: 'upstream',
  };
  const aws = await startFakeAws({ stacks: { Parley: outputs }, secrets, secretError });
  closing.push(aws.close);
  const lines: string[] = [];
  const result = await runConnect({
    account: { credentials: CREDENTIALS, region: REGION, endpoint: aws.url },
    stack,
    variables: { ...world.posted, SLACK_CONFIG_TOKEN: CONFIG_TOKEN, ...changes },
    say: (line) => void lines.push(line),
    createProbe: () => createProbe(3_000),
  }).catch((error: unknown) => (error instanceof Error ? error.message : 'unknown'));
  const { DiscordInteractionsUrl: url, DiscordEventsUrl: eventsUrl } = outputs;
  return { result, output: lines.join('\n'), url, eventsUrl };
}
const contents = () => Object.fromEntries([...secrets].map(([name, text]) => [name, JSON.parse(text)]));

const CONFIG_HEADERS = { authorization: `Bearer ${CONFIG_TOKEN}` };

/** Creates the app at Slack. `origin`: with the addresses of a deployment there; without it, for socket mode. */
async function createApp(origin?: string): Promise<void> {
  const manifest = buildSlackManifest({ command: '/parley', listening: 'channels', origin });
  const body = new URLSearchParams({ manifest: JSON.stringify(manifest) });
  await fetch(`${world.slack.apiUrl}apps.manifest.create`, { method: 'POST', headers: CONFIG_HEADERS, body });
}
async function exportManifest(): Promise<unknown> {
  const url = `${world.slack.apiUrl}apps.manifest.export?app_id=A0PARLEY00`;
  return (await fetch(url, { headers: CONFIG_HEADERS })).json();
}

describe('connect', () => {
  beforeEach(() => createApp());

  test('stores the credentials, keeps what else is in a secret, and enters the addresses', async () => {
    const { result, output, url } = await connect();
    expect(output).toContain(`commands and buttons arrive at ${url}`);
    expect(output).toContain(`slash commands arrive at ${SLACK_URL}. The redirect URL`);
    expect(result).toBe(true);
    expect(contents()).toEqual({
      signing: { current: SIGNING_SECRET },
      bot: { botToken: world.slack.botToken },
      discord: { botToken: world.discord.botToken },
      upstream: { apiKey: 'key-of-the-models', more: ['another'] },
    });
    expect(world.discord.core.context.portal.interactionsUrl).toBe(url);
    expect(await exportManifest()).toMatchObject({
      manifest: {
        display_information: { name: 'Parley' },
        features: { slash_commands: [{ command: '/parley', url: SLACK_URL }] },
        oauth_config: {
          redirect_urls: [REDIRECT_URL],
          scopes: { bot: expect.arrayContaining(['chat:write']) },
        },
        settings: {
          event_subscriptions: { request_url: SLACK_URL },
          interactivity: { request_url: SLACK_URL },
          socket_mode_enabled: false,
        },
      },
    });
    for (const secret of ['key-of-the-models', world.slack.botToken, world.discord.botToken, SIGNING_SECRET])
      expect(output).not.toContain(secret);
  });

  test('adds the address after an install once, and keeps others, such as one of an own domain', async () => {
    await createApp('https://parley.example.com');
    await connect();
    await connect();
    expect(await exportManifest()).toMatchObject({
      manifest: {
        oauth_config: { redirect_urls: ['https://parley.example.com/slack/oauth_redirect', REDIRECT_URL] },
      },
    });
  });

  test('that is repeated stores nothing again, and a new signing secret keeps the former one', async () => {
    await connect();
    const { output } = await connect();
    expect(output.match(/is stored already/g)).toHaveLength(4);
    await connect({ SLACK_SIGNING_SECRET: 'cd'.repeat(16) });
    expect(contents()).toMatchObject({ signing: { current: 'cd'.repeat(16), previous: SIGNING_SECRET } });
  });

  test('does not bring back a key or signing secret that was rotated: the new one stays', async () => {
    const rotated = {
      signing: { current: 'cd'.repeat(16), previous: SIGNING_SECRET, previousUntil: 9 },
      upstream: { apiKey: 'the-new-key', more: ['key-of-the-models'], until: {} },
    };
    for (const [name, content] of Object.entries(rotated)) secrets.set(name, JSON.stringify(content));
    const { output } = await connect();
    expect(contents()).toMatchObject(rotated);
    expect(output).toContain('UPSTREAM_API_KEY is stored already.');
    expect(output).toContain('SLACK_SIGNING_SECRET is stored already.');
  });

  test('without a configuration token says what is left to do', async () => {
    const { result, output } = await connect({ SLACK_CONFIG_TOKEN: undefined });
    expect(result).toBe(false);
    expect(output).toContain(`Enter ${SLACK_URL} in the Slack app: docs/slack.md`);
  });

  test('has Discord report when a person removes the app', async () => {
    const { result, output, eventsUrl } = await connect();
    expect(result).toBe(true);
    expect(output).toContain(`removals of the app arrive at ${eventsUrl}.`);
    expect(world.discord.core.context.portal.webhookEvents).toEqual({
      url: eventsUrl,
      isOn: true,
      types: ['APPLICATION_DEAUTHORIZED'],
    });
  });

  test('says so if Discord does not accept the address for events, and enters the other one', async () => {
    const { result, output, url, eventsUrl } = await connect({}, { pong: 200 });
    expect(result).toBe(false);
    expect(output).toContain(`Enter ${eventsUrl}: docs/discord.md, On AWS, step 4.`);
    expect(world.discord.core.context.portal.interactionsUrl).toBe(url);
  });

  test('with another public key at Discord says so, and stores the secrets', async () => {
    const { result, output } = await connect({}, { publicKey: 'ab'.repeat(32) });
    expect(result).toBe(false);
    expect(output).toContain('parameter DiscordPublicKey');
    expect(contents()).toMatchObject({ discord: { botToken: world.discord.botToken } });
  });

  test('stops at a stack that does not exist, and at a secret that it may not read', async () => {
    const missing = await connect({}, { stack: 'Parley-test' });
    expect(missing.result).toMatch(/Parley-test could not be read \(ValidationError\).*no stack Parley-test/);
    secrets.delete('bot');
    expect((await connect()).result).toMatch(
      /ResourceNotFoundException.*gone.*docs\/runbook\.md#a-deleted-secret/,
    );
  });

  test('stops at a secret that is marked for deletion, and names the command that restores it', async () => {
    expect((await connect({}, { secretError: 'InvalidRequestException' })).result).toMatch(
      /InvalidRequestException.*"aws secretsmanager restore-secret --secret-id signing"/,
    );
  });
});
