import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { FORBIDDEN, UnauthorizedError } from '../../../../shared/platforms/discord/gateway/rest-reads.ts';
import { restReads } from '../../../../shared/platforms/discord/gateway/rest.ts';
import { type DiscordSimulator, GENERAL, startDiscordSimulator } from '../../../simulators/discord/index.ts';

let discord: DiscordSimulator;
beforeAll(async () => {
  discord = await startDiscordSimulator();
});
afterAll(() => discord.close());
beforeEach(() => discord.reset());

const CHANNEL = 'GET /channels/{channel_id}';
const reads = () => restReads(discord.apiUrl, discord.botToken);

test('a 429 of Cloudflare that does not say how long to wait rejects after one request', async () => {
  discord.faults.add({ kind: 'cloudflare', route: CHANNEL, times: 3 });
  await expect(reads().channel(GENERAL)).rejects.toMatchObject({ retryAfter: 0 });
  expect(discord.calls.map(({ outcome }) => outcome)).toEqual(['cloudflare']);
});

test('a 403 of Cloudflare rejects, since the channel may exist; refusals of Discord tell', async () => {
  discord.faults.add({ kind: 'status', status: 403, route: CHANNEL });
  await expect(reads().channel(GENERAL)).rejects.toMatchObject({ status: 403 });
  for (const [code, result] of [
    [50_001, FORBIDDEN],
    [10_003, undefined],
  ] as const) {
    discord.faults.add({ kind: 'refuse', code, route: CHANNEL });
    expect(await reads().channel(GENERAL)).toBe(result);
  }
});

test('a single 401 does not end the reads after it', async () => {
  discord.faults.add({ kind: 'refuse', code: 0, route: CHANNEL, times: 1 });
  const relayReads = reads();
  await expect(relayReads.channel(GENERAL)).rejects.toBeInstanceOf(UnauthorizedError);
  expect(await relayReads.channel(GENERAL)).toMatchObject({ id: GENERAL });
});
