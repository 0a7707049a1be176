import { createPrivateKey, sign } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { startLocal } from '../../../../infra/local/system.ts';
import type { LocalSystem } from '../../../../infra/local/system.ts';
import { builtFrom, scratch, SAMPLE_TEMPLATE } from '../sample-template.ts';

/** Defers every interaction. */
const FRONT = `exports.handler = async () => ({
  statusCode: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ type: 5 }) });`;
const WORKER = 'exports.handler = async () => ({ batchItemFailures: [] });';
const ROUTED = {
  ...SAMPLE_TEMPLATE,
  Resources: {
    ...SAMPLE_TEMPLATE.Resources,
    Interactions: {
      Type: 'AWS::ApiGatewayV2::Route',
      Properties: { ...SAMPLE_TEMPLATE.Resources.Route.Properties, RouteKey: 'POST /discord/interactions' },
    },
  },
};

let folder: ReturnType<typeof scratch>;
const systems: LocalSystem[] = [];
beforeEach(() => {
  folder = scratch();
});
afterEach(async () => {
  await Promise.all(systems.splice(0).map((system) => system.close()));
  folder.remove();
});

async function start(variables: Record<string, string> = {}): Promise<LocalSystem> {
  const built = async () => builtFrom(folder.directory, { Front: FRONT, Worker: WORKER }, ROUTED);
  const system = await startLocal({ data: join(folder.directory, 'data'), port: 0, build: built, variables });
  systems.push(system);
  return system;
}

/** Posts an interaction as Discord would, signed with the key of `local.json`. */
function posted({ local }: LocalSystem, interaction: object): Promise<Response> {
  const body = JSON.stringify(interaction);
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const der = Buffer.from(`302e020100300506032b657004220420${local.discord.privateKey}`, 'hex');
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const headers = {
    'content-type': 'application/json',
    'x-signature-ed25519': sign(null, Buffer.from(timestamp + body), key).toString('hex'),
    'x-signature-timestamp': timestamp,
  };
  return fetch(`${local.api}/discord/interactions`, { method: 'POST', headers, body });
}

test('an interaction with removed ids reaches the front, whatever the simulated Discord makes of it', async () => {
  const system = await start();
  const pressed = {
    id: '786008729715212339',
    application_id: system.local.discord.applicationId,
    token: 'ANOTHER_TOKEN',
    type: 3,
    channel_id: '772908445358620702',
    user: { id: '53908232506183680', username: 'ada' },
    data: { custom_id: 'dm-action', component_type: 2 },
  };
  for (const scrubbed of [{ channel_id: 'DM_CHANNEL_123' }, { message: { id: 'MESSAGE_123' } }]) {
    const answer = await posted(system, { ...pressed, ...scrubbed });
    expect([answer.status, await answer.json()]).toEqual([200, { type: 5 }]);
  }
});

test('an interaction signed with the key of local.json is processed, and its response can be read', async () => {
  const system = await start();
  const { discord } = system.local;
  const answer = await posted(system, {
    id: '786008729715212338',
    application_id: discord.applicationId,
    token: 'A_UNIQUE_TOKEN',
    type: 2,
    guild_id: discord.guildId,
    channel_id: discord.channelId,
    member: { user: { id: discord.users[0]?.id, username: 'ada' } },
    data: { type: 1, id: '1', name: 'ask', options: [{ type: 3, name: 'question', value: 'why?' }] },
  });
  expect(await answer.json()).toEqual({ type: 5 });
  const webhook = `${discord.apiUrl}/webhooks/${discord.applicationId}/A_UNIQUE_TOKEN/messages/@original`;
  expect(await (await fetch(webhook)).json()).toMatchObject({ flags: 128, channel_id: discord.channelId });
  const authorization = `Bot ${discord.botToken}`;
  const listed = await fetch(`${discord.apiUrl}/channels/${discord.channelId}/messages`, {
    headers: { authorization },
  });
  expect(await listed.json()).toMatchObject([{ interaction_metadata: { id: '786008729715212338' } }]);
});

test('the simulated Discord reaches the system, and is the same after a restart', async () => {
  const first = await start();
  const { simulator } = first.discord;
  await fetch(`${first.local.discord.apiUrl}/applications/${first.local.discord.applicationId}/commands`, {
    method: 'PUT',
    headers: {
      authorization: `Bot ${first.local.discord.botToken}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify([{ name: 'ask', description: 'Ask' }]),
  });
  expect(await simulator?.slash('ada', undefined, 'ask')).toMatchObject({ acknowledged: true });
  await first.close();
  const second = await start();
  const { gatewayUrl } = second.local.discord;
  expect(second.local.discord).toEqual({ ...first.local.discord, gatewayUrl });
  const authorization = `Bot ${second.local.discord.botToken}`;
  const gateway = await fetch(`${second.local.discord.apiUrl}/gateway/bot`, { headers: { authorization } });
  expect(await gateway.json()).toMatchObject({ url: gatewayUrl });
  expect(gatewayUrl).toMatch(/^ws:\/\/127\.0\.0\.1:\d+$/);
  expect(second.discord.simulator?.core.messages()).toMatchObject([{ flags: 128 }]);
});

test('another Discord is used when it is configured, and nothing is simulated then', async () => {
  const publicKey = 'ab'.repeat(32);
  const { local } = await start({
    DISCORD_API_URL: 'http://127.0.0.1:9/api/v10/',
    DISCORD_PUBLIC_KEY: publicKey,
    DISCORD_APPLICATION_ID: '901000000000000001',
  });
  expect(local.discord).toEqual({
    apiUrl: 'http://127.0.0.1:9/api/v10',
    gatewayUrl: null,
    publicKey,
    privateKey: null,
    applicationId: '901000000000000001',
    botToken: null,
    guildId: null,
    channelId: null,
    users: [],
  });
});
