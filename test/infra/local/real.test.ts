import { expect, test } from '@jest/globals';
import { join } from 'node:path';
import { register } from '../../../infra/cli/register.ts';
import { startLocal } from '../../../infra/local/system.ts';
import { Gateway, sourceOf } from '../../simulators/discord/gateway.ts';
import { ADA, type DiscordSimulator, startDiscordSimulator } from '../../simulators/discord/index.ts';
import { startSlackSimulator } from '../../simulators/slack/index.ts';
import { startUpstreamSimulator } from '../../simulators/upstream/index.ts';
import { scratch } from './sample-template.ts';

test('with tokens the system uses an external Slack, Discord and model server', async () => {
  const folder = scratch();
  const slack = await startSlackSimulator({ botToken: 'xoxb-elsewhere' });
  const upstream = await startUpstreamSimulator({ apiKey: 'key-elsewhere', paceMs: 0 });
  const discord = await startDiscordSimulator({
    insistOnUserAgent: true,
    identity: { botToken: 'elsewhere' },
  });
  const gateway = new Gateway(sourceOf(discord.core));
  discord.setGatewayUrl(await gateway.listen());
  const system = await startLocal({
    data: join(folder.directory, 'data'),
    port: 0,
    variables: {
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: slack.botToken,
      SLACK_SIGNING_SECRET: slack.signingSecret,
      SLACK_BOT_USER_ID: slack.botUserId,
      UPSTREAM_BASE_URL: upstream.baseUrl,
      UPSTREAM_API_KEY: upstream.apiKey,
      UPSTREAM_MODEL: 'model-e',
      DISCORD_API_URL: discord.apiUrl,
      DISCORD_GATEWAY_URL: gateway.url,
      DISCORD_PUBLIC_KEY: discord.keys.publicKey,
      DISCORD_APPLICATION_ID: discord.applicationId,
      DISCORD_BOT_TOKEN: discord.botToken,
    },
  });
  slack.setDeliverTo(`${system.local.api}/slack/events`);
  const thread = await slack.say('ada', '@parley What is 20 + 3?');
  const answer = await slack.core.until(() => {
    const messages = [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])];
    return messages.find(
      (one) => one.thread === thread && one.user === slack.botUserId && one.text.includes('23'),
    );
  });
  expect(answer.text).toContain('23');
  // The list of models was requested too, for the features of this one.
  const bodies = upstream.journal.filter(({ method }) => method === 'POST').map(({ body }) => body);
  expect(bodies).toEqual([expect.objectContaining({ model: 'model-e' })]);
  await onDiscord(discord, system.local.api);
  expect(system.local).toMatchObject({
    page: null,
    discord: { apiUrl: discord.apiUrl, gatewayUrl: gateway.url, privateKey: null, botToken: 'elsewhere' },
    upstream: { baseUrl: upstream.baseUrl, apiKey: 'key-elsewhere' },
  });
  await system.close();
  await gateway.close();
  await Promise.all([slack.close(), upstream.close(), discord.close()]);
  folder.remove();
});

const nobody = () => Promise.reject(new Error('asked'));

/** On this Discord commands are registered, one is sent, and a mention with a file is answered. */
async function onDiscord(discord: DiscordSimulator, api: string): Promise<void> {
  const { core, apiUrl, applicationId, botToken } = discord;
  const env = {
    DISCORD_API_URL: apiUrl,
    DISCORD_APPLICATION_ID: applicationId,
    DISCORD_BOT_TOKEN: botToken,
  };
  expect(await register({ env, skipConfirmation: true, print: () => undefined, confirm: nobody })).toBe(0);
  discord.setDeliverTo(api);
  const untilAnswered = (channel: string | undefined, words: string) =>
    core.until(() => core.messages(channel, ADA).find((one) => JSON.stringify(one).includes(words)));
  await discord.slash('ada', undefined, 'ask', { question: 'What is 20 + 4?' });
  await untilAnswered(undefined, '24');
  const notes = { name: 'notes.txt', content: Buffer.from('The deadline is Friday.') };
  const files = [{ ...notes, contentType: 'text/plain' }];
  await untilAnswered(discord.say('ada', undefined, '@Parley When is the deadline?', { files }), 'Friday');
}
