import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import * as v from 'valibot';
import { textOf } from './socket-mode.ts';
import { type SlackSimulator, startSlackSimulator } from './server.ts';

const TOKEN = 'xapp-1-A0PARLEY00-1-a';
const envelopeShape = v.record(v.string(), v.unknown());
const urlShape = v.object({ url: v.string() });

let slack: SlackSimulator;
beforeAll(async () => {
  slack = await startSlackSimulator({ app: { appTokens: { [TOKEN]: ['connections:write'] } } });
});
afterAll(() => slack.close());

/** Opens a socket. `next` resolves with the next envelope. */
async function openSocket() {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const response = await fetch(`${slack.apiUrl}apps.connections.open`, { method: 'POST', headers });
  const socket = new WebSocket(v.parse(urlShape, await response.json()).url);
  const received: Record<string, unknown>[] = [];
  const waiting: (() => void)[] = [];
  socket.on('message', (data) => {
    received.push(v.parse(envelopeShape, JSON.parse(textOf(data))));
    waiting.shift()?.();
  });
  const next = async (): Promise<Record<string, unknown>> => {
    if (received.length === 0) await new Promise<void>((resolve) => void waiting.push(resolve));
    return received.shift() ?? {};
  };
  return { socket, next };
}

test('a socket gets hello, and then each event until it is acknowledged', async () => {
  const before = slack.say('ada', '@parley before the socket');
  const { socket, next } = await openSocket();
  expect(await next()).toMatchObject({ type: 'hello', connection_info: { app_id: 'A0PARLEY00' } });
  await before;
  const envelope = await next();
  expect(envelope).toMatchObject({
    type: 'events_api',
    accepts_response_payload: false,
    payload: { type: 'event_callback', event: { text: expect.stringContaining('before the socket') } },
  });
  socket.send(JSON.stringify({ envelope_id: envelope['envelope_id'] }));
  const other = await next();
  socket.send(JSON.stringify({ envelope_id: other['envelope_id'] }));
  await slack.delivery.idle();
  socket.close();
});
