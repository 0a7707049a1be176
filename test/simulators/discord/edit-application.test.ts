import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createServer } from 'node:http';
import { listen } from '../slack/http.ts';
import { type DiscordSimulator, startDiscordSimulator } from './server.ts';

const MESSAGE_CONTENT_LIMITED = 1 << 19;
let discord: DiscordSimulator;
beforeAll(async () => {
  discord = await startDiscordSimulator({ identity: { messageContent: false } });
});
afterAll(() => discord.close());

async function edit(change: Record<string, unknown>): Promise<{ status: number; body: unknown }> {
  const headers = { authorization: `Bot ${discord.botToken}`, 'content-type': 'application/json' };
  const request = { method: 'PATCH', headers, body: JSON.stringify(change) };
  const response = await fetch(`${discord.apiUrl}/applications/@me`, request);
  return { status: response.status, body: await response.json() };
}

/** An address that responds to each request with this status and body. */
async function serve(status: number, body: object) {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const url = await listen(server, 0, '127.0.0.1');
  return { url, close: () => server.close() };
}

test('the flag of a limited intent can be changed, and no other flag', async () => {
  expect(await edit({ flags: MESSAGE_CONTENT_LIMITED })).toMatchObject({
    status: 200,
    body: { flags: MESSAGE_CONTENT_LIMITED },
  });
  expect(await edit({ flags: MESSAGE_CONTENT_LIMITED | (1 << 18) })).toMatchObject({
    status: 400,
    body: { code: 50035, errors: { flags: {} } },
  });
  expect(await edit({ flags: 0 })).toMatchObject({ status: 200, body: { flags: 0 } });
});

test('an address that does not respond to PING and reject invalid signatures is refused', async () => {
  const accepting = await serve(200, { type: 1 });
  const rejecting = await serve(401, {});
  for (const { url } of [accepting, rejecting, { url: 'https://parley.invalid' }])
    expect(await edit({ interactions_endpoint_url: `${url}/discord/interactions` })).toMatchObject({
      status: 400,
      body: { code: 50035, errors: { interactions_endpoint_url: { _errors: [expect.anything()] } } },
    });
  expect(await edit({ interactions_endpoint_url: null })).toMatchObject({
    status: 200,
    body: { interactions_endpoint_url: null },
  });
  accepting.close();
  rejecting.close();
});
