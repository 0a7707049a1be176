import { expect } from '@jest/globals';
import { register } from '../../../../infra/cli/register.ts';
import { type Check, createProbe, type Variables } from '../../../../infra/configuration/index.ts';
import { diagnose } from '../../../../infra/parley/doctor/diagnose.ts';
import type { DoctorInput } from '../../../../infra/parley/doctor/doctor-input.ts';
import { createManifest } from '../../../../shared/platforms/slack/index.ts';
import { startDiscordSimulator, type DiscordSimulatorOptions } from '../../../simulators/discord/index.ts';
import { startSlackSimulator, type SlackSimulatorOptions } from '../../../simulators/slack/index.ts';
import { startUpstreamSimulator } from '../../../simulators/upstream/index.ts';
import { serve } from '../../configuration/serve.ts';
import { NO_AWS } from '../fake-aws.ts';

export const APP_TOKEN = 'xapp-1-A0PARLEY00-1-0123456789abcdef';
export const OTHER_APP_TOKEN = 'xapp-1-A0OTHER000-2-0123456789abcdef';
export const CONFIG_TOKEN = 'xoxe.xoxp-1-valid';
export const EXPIRED_CONFIG_TOKEN = 'xoxe.xoxp-1-expired';
export const SIGNING_SECRET = 'ab'.repeat(16);
const BOT_TOKEN = 'xoxb-1-simulated';
const API_KEY = 'key-of-the-models';

export type WorldOptions = {
  readonly slack?: SlackSimulatorOptions;
  readonly discord?: DiscordSimulatorOptions['identity'];
  /** The response at the address for interactions; 401 is right. */
  readonly callbackStatus?: number;
  /** Nothing is entered or registered at Discord yet, and the Slack app has no manifest. */
  readonly isNew?: boolean;
};

/** A correct set-up: Slack over socket mode, Discord with commands and an address, and a model server. */
export type World = {
  readonly variables: Variables;
  /** The same with events posted to an address rather than over socket mode. */
  readonly posted: Variables;
  readonly callbackUrl: string;
  readonly slack: Awaited<ReturnType<typeof startSlackSimulator>>;
  readonly discord: Awaited<ReturnType<typeof startDiscordSimulator>>;
  readonly upstream: Awaited<ReturnType<typeof startUpstreamSimulator>>;
  close(): Promise<void>;
};

export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const callback = await serve({
    'POST /discord/interactions': { status: options.callbackStatus ?? 401 },
    'POST /slack/events': { status: options.callbackStatus ?? 401 },
  });
  const [slack, discord, upstream] = await Promise.all([
    startSlackSimulator({
      botToken: BOT_TOKEN,
      ...options.slack,
      app: {
        appTokens: { [APP_TOKEN]: ['connections:write'], [OTHER_APP_TOKEN]: ['connections:write'] },
        configTokens: { [CONFIG_TOKEN]: Date.now() + 3_600_000, [EXPIRED_CONFIG_TOKEN]: 0 },
        manifest: options.isNew
          ? undefined
          : createManifest({ listening: 'channels', command: '/parley', shortcuts: [] }),
        ...options.slack?.app,
      },
    }),
    startDiscordSimulator({ insistOnUserAgent: true, ...(options.discord && { identity: options.discord }) }),
    startUpstreamSimulator({ apiKey: API_KEY, paceMs: 0 }),
  ]);
  if (!options.isNew) discord.setDeliverTo(callback.url);
  const models = {
    UPSTREAM_BASE_URL: upstream.baseUrl,
    UPSTREAM_API_KEY: API_KEY,
    UPSTREAM_MODEL: 'model-e',
  };
  const forDiscord = {
    DISCORD_API_URL: discord.apiUrl,
    DISCORD_APPLICATION_ID: discord.applicationId,
    DISCORD_PUBLIC_KEY: discord.keys.publicKey,
    DISCORD_BOT_TOKEN: discord.botToken,
    DISCORD_GATEWAY_URL: discord.url.replace('http:', 'ws:'),
  };
  const forSlack = { SLACK_API_URL: slack.apiUrl, SLACK_BOT_TOKEN: BOT_TOKEN };
  if (!options.isNew)
    await register({
      env: forDiscord,
      skipConfirmation: true,
      print: () => undefined,
      confirm: async () => true,
    });
  const close = async () => {
    callback.close();
    await Promise.all([slack.close(), discord.close(), upstream.close()]);
  };
  return {
    variables: { ...forSlack, SLACK_APP_TOKEN: APP_TOKEN, ...forDiscord, ...models },
    posted: { ...forSlack, SLACK_SIGNING_SECRET: SIGNING_SECRET, ...forDiscord, ...models },
    callbackUrl: callback.url,
    slack,
    discord,
    upstream,
    close,
  };
}

export const toEnvFile = (variables: Variables): string =>
  Object.entries(variables)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');

/** Runs the checks with these variables in `.env`. The environment is empty, unless `changes` has one. */
export async function diagnoseVariables(
  variables: Variables,
  changes: Partial<DoctorInput> = {},
): Promise<readonly Check[]> {
  const checks = await diagnose({
    nodeVersion: '24.21.0',
    envFile: { path: '.env', exists: true, mode: 0o600, text: toEnvFile(variables) },
    environment: NO_AWS,
    engineLog: '',
    slackChannel: undefined,
    discordChannel: undefined,
    shouldAskModel: false,
    now: Date.now,
    createProbe: () => createProbe(3_000),
    ...changes,
  });
  // No credential is ever part of a finding.
  const text = JSON.stringify(checks);
  for (const [name, value] of Object.entries(variables))
    if (/TOKEN|KEY|SECRET/.test(name) && name !== 'DISCORD_PUBLIC_KEY' && value)
      expect(text).not.toContain(value);
  return checks;
}

/** The checks that did not pass, as `fail NAME`. */
export const getProblems = (checks: readonly Check[]): string[] =>
  checks
    .filter(({ result }) => result === 'fail' || result === 'warn')
    .map(({ result, name }) => `${result} ${name}`);
