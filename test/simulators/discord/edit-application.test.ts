import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createServer } from 'node:http';
import { listen } from '../slack/http.ts';
import { signed } from './keys.ts';
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

/** An address for events that rejects invalid signatures, and responds to others with this status. */
async function serveEvents(status: number) {
  const received: unknown[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const time = Number(request.headers['x-signature-timestamp']) * 1_000;
      // Ed25519 signs the same content alike.
      const { 'x-signature-ed25519': signature } = signed(discord.keys, time, body);
      const isValid = request.headers['x-signature-ed25519'] === signature;
      if (isValid) received.push(JSON.parse(body));
      response.writeHead(isValid ? status : 401).end();
    });
  });
  const url = `${await listen(server, 0, '127.0.0.1')}/discord/events`;
  return { url, received, close: () => server.close() };
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

test('an address for events that does not respond to PING with 204 and reject invalid signatures is refused', async () => {
  const wrong = await serveEvents(200);
  const unchecked = await serve(204, {});
  for (const url of [wrong.url, unchecked.url, 'https://parley.invalid'])
    expect(await edit({ event_webhooks_url: url })).toMatchObject({
      status: 400,
      body: { code: 50035, errors: { event_webhooks_url: { _errors: [expect.anything()] } } },
    });
  wrong.close();
  unchecked.close();
});

test('events are posted when they are on, and only those of the chosen types', async () => {
  const app = await serveEvents(204);
  expect(await edit({ event_webhooks_status: 2 })).toMatchObject({ status: 400 });
  expect(await edit({ event_webhooks_types: ['MESSAGE_CREATE'] })).toMatchObject({ status: 400 });
  expect(await edit({ event_webhooks_status: 3 })).toMatchObject({ status: 400 });
  const settings = {
    event_webhooks_url: app.url,
    event_webhooks_status: 2,
    event_webhooks_types: ['APPLICATION_DEAUTHORIZED'],
  };
  expect(await edit(settings)).toMatchObject({ status: 200, body: settings });
  expect(await discord.authorize('ada')).toBe(false);
  expect(await discord.deauthorize('ada')).toBe(true);
  expect(await edit({ event_webhooks_status: 1 })).toMatchObject({
    status: 200,
    body: { ...settings, event_webhooks_status: 1 },
  });
  expect(await discord.deauthorize('ada')).toBe(false);
  expect(app.received).toEqual([
    expect.objectContaining({ type: 0 }),
    expect.objectContaining({ event: expect.objectContaining({ type: 'APPLICATION_DEAUTHORIZED' }) }),
  ]);
  app.close();
});
