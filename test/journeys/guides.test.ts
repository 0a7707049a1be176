import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { formatInvite } from '../../infra/cli/invite.ts';
import { register } from '../../infra/cli/register.ts';
import { formatManifest } from '../../infra/cli/slack-manifest.ts';
import { type LocalSystem, startLocal } from '../../infra/local/system.ts';
import { ADA, type DiscordSimulator, startDiscordSimulator } from '../simulators/discord/index.ts';
import { Gateway, sourceOf } from '../simulators/discord/gateway.ts';
import { recorderFromEnvironment } from '../simulators/recorder.ts';
import {
  appOf,
  type RequestUrls,
  type SlackSimulator,
  startSlackSimulator,
} from '../simulators/slack/index.ts';
import { closeWithoutSecrets } from './expect-no-secrets.ts';
import { dataFolder } from './harness.ts';

const nobody = () => Promise.reject(new Error('asked'));

// The steps of docs/slack.md and docs/discord.md with the deployed bundles, and with a Slack and a Discord that know
// only what a person enters.

/** The public URL of the template. */
const DEPLOYED = 'https://abc123.execute-api.eu-central-1.amazonaws.com';

const manifest = v.object({
  features: v.object({ slash_commands: v.array(v.object({ command: v.string(), url: v.string() })) }),
  settings: v.object({
    event_subscriptions: v.object({ request_url: v.string() }),
    interactivity: v.object({ request_url: v.string() }),
    socket_mode_enabled: v.literal(false),
  }),
});

describe('Slack, on AWS', () => {
  const folder = dataFolder();
  let slack: SlackSimulator;
  let system: LocalSystem;
  const here = (url: string): string => url.replace(DEPLOYED, system.local.api);

  beforeAll(async () => {
    const app = appOf(JSON.parse(formatManifest(['--channels', '--url', DEPLOYED])));
    slack = await startSlackSimulator({
      botToken: 'xoxb-guide',
      identity: app,
      record: recorderFromEnvironment(),
    });
    // As in the secrets of the deployment.
    const variables = {
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: slack.botToken,
      SLACK_SIGNING_SECRET: slack.signingSecret,
    };
    system = await startLocal({ data: folder.path, port: 0, variables, upstream: { paceMs: 0 } });
  });
  afterAll(async () => {
    await closeWithoutSecrets(folder.path, system);
    await slack.close();
    folder.remove();
  });

  /** The bot's messages, public and ephemeral. */
  const untilMessage = (words: RegExp) =>
    slack.core.until(() =>
      [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])].find(
        ({ user, text, blocks }) => user === slack.botUserId && words.test(JSON.stringify([text, blocks])),
      ),
    );
  /** Enters the URLs of the manifest, as a person who pastes it. */
  const enter = (change: (urls: RequestUrls) => RequestUrls = (urls) => urls): void => {
    const { features, settings } = v.parse(
      manifest,
      JSON.parse(formatManifest(['--channels', '--url', `${DEPLOYED}/slack/events`])),
    );
    const commands = features.slash_commands.map(({ command, url }) => [command, here(url)] as const);
    slack.setDeliverTo(
      change({
        events: here(settings.event_subscriptions.request_url),
        interactivity: here(settings.interactivity.request_url),
        commands: Object.fromEntries(commands),
      }),
    );
  };

  test('the manifest contains every URL that Slack requests, and Slack verifies each', async () => {
    enter();
    expect(await slack.delivery.verify()).toBe(true);
    const thread = await slack.say('ada', '@parley What is 20 + 3?');
    const answer = await untilMessage(/23/u);
    expect(answer.thread).toBe(thread);
    expect(await slack.command('ada', '/parley help')).toEqual({ acknowledged: true });
    await untilMessage(/parley settings/u);
    expect(await slack.shortcut('ada', 'more-actions', answer.ts)).toEqual({ acknowledged: true });
    expect(await slack.submit('ada', { action: 'why' })).toEqual({ acknowledged: true });
    await untilMessage(/What happened/u);
  });

  test('the slash command fails when its URL is missing', async () => {
    enter(({ events, interactivity }) => ({ events, interactivity }));
    expect(await slack.delivery.verify()).toBe(true);
    expect(await slack.command('ada', '/parley help')).toMatchObject({ acknowledged: false });
  });
});

describe('Discord, on AWS', () => {
  const folder = dataFolder();
  let discord: DiscordSimulator;
  let gateway: Gateway;
  let system: LocalSystem;

  beforeAll(async () => {
    discord = await startDiscordSimulator({ insistOnUserAgent: true, record: recorderFromEnvironment() });
    gateway = new Gateway(sourceOf(discord.core));
    discord.setGatewayUrl(await gateway.listen());
    const variables = {
      DISCORD_API_URL: discord.apiUrl,
      DISCORD_GATEWAY_URL: gateway.url,
      DISCORD_PUBLIC_KEY: discord.keys.publicKey,
      DISCORD_APPLICATION_ID: discord.applicationId,
      DISCORD_BOT_TOKEN: discord.botToken,
    };
    system = await startLocal({ data: folder.path, port: 0, variables, upstream: { paceMs: 0 } });
  });
  afterAll(async () => {
    await closeWithoutSecrets(folder.path, system);
    await gateway.close();
    await discord.close();
    folder.remove();
  });

  const untilMessage = (words: string, channel?: string) =>
    discord.core.until(() =>
      discord.core.messages(channel, ADA).find((one) => JSON.stringify(one).includes(words)),
    );

  test('Discord accepts the URLs and commands, and commands and mentions are answered', async () => {
    discord.setDeliverTo(system.local.api);
    expect(await discord.delivery.inspect()).toEqual([]);
    const env = {
      DISCORD_API_URL: discord.apiUrl,
      DISCORD_APPLICATION_ID: discord.applicationId,
      DISCORD_BOT_TOKEN: discord.botToken,
    };
    const lines: string[] = [];
    expect(
      await register({ env, skipConfirmation: true, print: (line) => lines.push(line), confirm: nobody }),
    ).toBe(0);
    expect(lines.join('\n')).toMatch(/\+ \/ask[^]*Discord knows \d+ commands now/u);
    expect(formatInvite({ DISCORD_APPLICATION_ID: discord.applicationId })[0]).toContain(
      `client_id=${discord.applicationId}`,
    );
    await discord.slash('ada', undefined, 'ask', { question: 'What is 20 + 4?' });
    await untilMessage('24');
    // A mention is answered in a thread below it.
    await untilMessage('25', discord.say('ada', undefined, '@Parley What is 20 + 5?'));
  });
});
