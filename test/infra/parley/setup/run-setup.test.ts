import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createProbe } from '../../../../infra/configuration/index.ts';
import { closeServer, listen } from '../../../../infra/local/listen.ts';
import { buildTemplate } from '../../../../infra/local/template/build.ts';
import { diagnose } from '../../../../infra/parley/doctor/diagnose.ts';
import { NO_AWS } from '../fake-aws.ts';
import { APP_TOKEN, CONFIG_TOKEN, OTHER_APP_TOKEN, startWorld, type World } from '../doctor/world.ts';
import { ENTER, type Script, SetupFolder, STOP } from './scripted.ts';

/** What the issue promises. */
const MAX_PROMPTS = 12;
const SECRETS = /xoxb-1|xapp-1|xoxe|key-of-the-models|simulated\.discord/;
const MESSAGE_CONTENT_LIMITED = 1 << 19;

let world: World;
let folder: SetupFolder;
const useFolder = (platforms: string): void => {
  folder = new SetupFolder(world, platforms);
};
beforeEach(async () => {
  world = await startWorld({ isNew: true, discord: { messageContent: false } });
});
afterEach(async () => {
  folder.remove();
  await world.close();
});

const models = (): Script => ({
  'models.url': `${world.upstream.baseUrl}/`,
  'models.key': 'key-of-the-models',
  'models.model': 'model-e',
});
const slack = (): Script => ({
  'slack.configToken': CONFIG_TOKEN,
  'slack.botToken': world.slack.botToken,
  'slack.appToken': APP_TOKEN,
});
const discord = (): Script => ({ 'discord.botToken': world.discord.botToken, 'discord.messages': 'all' });
const count = (method: string): number => world.slack.calls.filter((call) => call.method === method).length;

/** A port that nothing uses. */
async function findPort(): Promise<number> {
  const server = createServer();
  const port = await listen(server, '127.0.0.1', 0);
  await closeServer(server, 0);
  return port;
}

describe('setup', () => {
  test('connects Slack and the models, asks a question, and shows its answer', async () => {
    useFolder('slack');
    await buildTemplate();
    const script = { platforms: 'slack', ...models(), ...slack(), 'slack.channel': world.slack.channel };
    const { questionIds, output, error } = await folder.run(script);
    expect(error).toBeUndefined();
    expect(questionIds.length).toBeLessThanOrEqual(MAX_PROMPTS);
    expect(folder.readVariables()).toEqual({
      SLACK_API_URL: world.slack.apiUrl,
      LOG_LEVEL: 'warn',
      UPSTREAM_BASE_URL: world.upstream.baseUrl,
      UPSTREAM_API_KEY: 'key-of-the-models',
      UPSTREAM_MODEL: 'model-e',
      SLACK_SIGNING_SECRET: world.slack.signingSecret,
      SLACK_BOT_TOKEN: world.slack.botToken,
      SLACK_APP_TOKEN: APP_TOKEN,
    });
    expect(folder.readText()).toContain('# The simulators.\n');
    expect(folder.readText()).toContain('LOG_LEVEL=warn # mine\n');
    expect(folder.getMode()).toBe(0o600);
    const [, number = ''] = /Question: What is (\d+) \+ 1\?/.exec(output) ?? [];
    expect(output).toMatch(new RegExp(`Answer after [\\d.]+ s: .*${Number(number) + 1}`));
    expect(output).toContain('Done: ');
    expect(output).not.toMatch(SECRETS);
    expect(output).not.toContain(world.slack.signingSecret);
    expect(existsSync(folder.stateFile)).toBe(false);
  });

  test('connects Discord: the intent, the commands, and the address of the running system', async () => {
    useFolder('discord');
    await buildTemplate();
    const port = await findPort();
    const script = {
      platforms: 'discord',
      ...models(),
      ...discord(),
      'discord.url': `http://127.0.0.1:${port}`,
    };
    const { questionIds, output, error } = await folder.run(script, port);
    expect(error).toBeUndefined();
    expect(questionIds.length).toBeLessThanOrEqual(MAX_PROMPTS);
    expect(output).toContain(`commands and buttons arrive at http://127.0.0.1:${port}/discord/interactions`);
    expect(output).toContain('https://discord.com/oauth2/authorize?client_id=901000000000000001');
    expect(folder.readVariables()).toMatchObject({
      DISCORD_APPLICATION_ID: world.discord.applicationId,
      DISCORD_PUBLIC_KEY: world.discord.keys.publicKey,
      DISCORD_BOT_TOKEN: world.discord.botToken,
      DISCORD_MESSAGES: 'all',
    });
    const { portal, state } = world.discord.core.context;
    expect(portal).toMatchObject({ messageContent: true });
    expect(state.commands.get('global')?.length).toBeGreaterThan(10);
    expect(output).not.toMatch(SECRETS);
  });

  test('connects both with at most twelve questions, and then the doctor finds no failure', async () => {
    useFolder('slack,discord');
    const script = { platforms: 'slack,discord', ...models(), ...slack(), ...discord() };
    const { questionIds, error } = await folder.run(script);
    expect(error).toBeUndefined();
    expect(questionIds.length).toBeLessThanOrEqual(MAX_PROMPTS);
    expect(new Set(questionIds).size).toBe(questionIds.length);
    const checks = await diagnoseFolder();
    expect(checks.filter(({ result }) => result === 'fail')).toEqual([]);
  });

  test('asks again after each wrong answer, and says what is wrong with it', async () => {
    useFolder('slack,discord');
    const script = {
      platforms: 'slack,discord',
      'models.url': [`${world.upstream.baseUrl}/v1/models`, world.upstream.baseUrl],
      'models.key': ['key-of-the-models', 'wrong', 'key-of-the-models'],
      'models.model': 'model-e',
      ...slack(),
      'slack.configToken': ['xoxe.xoxp-1-expired', CONFIG_TOKEN],
      'slack.botToken': ['xoxb-wrong', world.slack.botToken],
      'slack.appToken': [OTHER_APP_TOKEN, APP_TOKEN],
      'discord.botToken': ['not.the.token', world.discord.botToken],
      'discord.messages': 'mentions',
      'slack.channel': ['C0NOWHERE0', ''],
    };
    const { output, error } = await folder.run(script);
    expect(error).toBeUndefined();
    for (const part of [
      `UPSTREAM_BASE_URL=${world.upstream.baseUrl}`,
      'refuses the key (401)',
      'expire after 12 hours',
      'invalid_auth',
      'A0OTHER000, but SLACK_BOT_TOKEN to A0PARLEY00',
      'Discord does not accept it',
      'channel_not_found',
    ])
      expect(output).toContain(part);
    expect(folder.readVariables()).toMatchObject({ UPSTREAM_BASE_URL: world.upstream.baseUrl });
  });

  test('that is interrupted continues where it was, and creates no second Slack app', async () => {
    useFolder('slack,discord');
    const script = { platforms: 'slack,discord', ...models(), ...slack(), ...discord() };
    const first = await folder.run({ ...script, 'slack.appToken': STOP });
    expect(first.error).toBe('Stopped.');
    const state = readFileSync(folder.stateFile, 'utf8');
    expect(state).toContain('A0PARLEY00');
    expect(state).not.toMatch(SECRETS);
    const second = await folder.run({ ...script, 'discord.messages': STOP });
    expect(second.output).toContain('Continuing');
    expect(second.questionIds).toEqual(['resume', 'slack.appToken', 'discord.botToken', 'discord.messages']);
    const third = await folder.run(script);
    expect(third.error).toBeUndefined();
    expect(third.questionIds).toEqual([
      'resume',
      'discord.botToken',
      'discord.messages',
      'discord.url',
      'slack.channel',
    ]);
    expect(count('apps.manifest.create')).toBe(1);
    expect(existsSync(folder.stateFile)).toBe(false);
  });

  test('that is interrupted can begin again: each question is asked, and no second Slack app is created', async () => {
    useFolder('slack');
    const script = { platforms: 'slack', ...models(), ...slack() };
    await folder.run({ ...script, 'models.url': '', 'slack.appToken': STOP });
    const { questionIds, questions, output, error } = await folder.run({ ...script, resume: 'again' });
    expect(error).toBeUndefined();
    expect(questions[0]).toBe(
      'A set-up was interrupted (on this machine, Slack, simulated models). Continue it?',
    );
    expect(questionIds).toEqual([
      'resume',
      'target',
      'platforms',
      'models.url',
      'models.key',
      'models.model',
      'slack.appToken',
      'slack.channel',
    ]);
    expect(output).not.toContain('Continuing');
    expect(count('apps.manifest.create')).toBe(1);
  });

  test('that is interrupted asks for the address of the tunnel again: it may be another one', async () => {
    useFolder('slack,discord');
    const script = { platforms: 'slack,discord', ...models(), ...slack(), ...discord() };
    const url = { 'discord.url': 'https://first.example' };
    await folder.run({ ...script, ...url, 'slack.channel': STOP });
    expect(readFileSync(folder.stateFile, 'utf8')).not.toContain('first.example');
    const { questionIds } = await folder.run({ ...script, 'slack.channel': STOP });
    expect(questionIds).toEqual(['resume', 'discord.url', 'slack.channel']);
  });

  test('without a configuration token opens the page that creates the app', async () => {
    useFolder('slack');
    const script = { platforms: 'slack', ...models(), ...slack(), 'slack.configToken': '' };
    const { output, opened, error } = await folder.run(script);
    expect(error).toBeUndefined();
    expect(opened).toEqual([
      expect.stringMatching(/^https:\/\/api\.slack\.com\/apps\?new_app=1&manifest_json=/),
    ]);
    expect(output).toContain(opened[0]);
    expect(count('apps.manifest.create')).toBe(0);
  });

  test('without platforms and models leaves everything simulated', async () => {
    useFolder('');
    const { questionIds, output, error } = await folder.run({});
    expect(error).toBeUndefined();
    expect(questionIds).toEqual(['target', 'platforms', 'models.url']);
    expect(output).toContain('The models are simulated.');
  });

  test('that stored nothing names no file', async () => {
    useFolder('');
    rmSync(folder.envFile);
    const { output, error } = await folder.run({});
    expect(error).toBeUndefined();
    expect(output).toContain('Done: everything is simulated, so nothing had to be stored.');
  });

  test('run again keeps what works', async () => {
    useFolder('slack');
    const script = { platforms: 'slack', ...models(), ...slack() };
    await folder.run(script);
    const { questionIds, output } = await folder.run(script);
    expect(questionIds).toEqual(['target', 'platforms', 'slack.channel']);
    expect(output).toContain('is set already');
  });

  test('run again proposes the messages that the bot reads on Discord now', async () => {
    useFolder('discord');
    await folder.run({ platforms: 'discord', ...discord() });
    const { error } = await folder.run({ platforms: 'discord', 'discord.messages': ENTER });
    expect(error).toBeUndefined();
    expect(folder.readVariables()).toMatchObject({ DISCORD_MESSAGES: 'all' });
  });

  test.each(['http://parley.example', 'https://', 'parley.example'])(
    'refuses %s as the address of a tunnel',
    async (url) => {
      useFolder('discord');
      const run = folder.run({ platforms: 'discord', ...discord(), 'discord.url': url });
      await expect(run).rejects.toThrow('discord.url: it starts with https://');
    },
  );

  test('enters no address at Discord that does not lead to the system', async () => {
    useFolder('discord');
    await buildTemplate();
    const script = { platforms: 'discord', ...discord(), 'discord.url': 'https://parley.invalid' };
    const { output, error } = await folder.run(script);
    expect(error).toBeUndefined();
    expect(output).toMatch(
      /does not accept https:\/\/parley\.invalid\/discord\/interactions: Invalid Form Body/,
    );
    expect(world.discord.core.context.portal.interactionsUrl).toBeNull();
  });
});

test('the flag of the intent is that of Discord', async () => {
  useFolder('discord');
  await folder.run({ platforms: 'discord', ...discord() });
  const call = world.discord.calls.find(({ route }) => route === 'PATCH /applications/@me');
  expect(call?.json).toEqual({ flags: MESSAGE_CONTENT_LIMITED });
});

const diagnoseFolder = () =>
  diagnose({
    nodeVersion: process.versions.node,
    envFile: { path: '.env', exists: true, mode: folder.getMode(), text: folder.readText() },
    environment: NO_AWS,
    engineLog: '',
    slackChannel: undefined,
    discordChannel: undefined,
    shouldAskModel: false,
    now: Date.now,
    createProbe: () => createProbe(3_000),
  });
