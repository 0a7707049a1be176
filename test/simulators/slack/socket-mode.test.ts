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

/** The waits of the simulator that have not ended: only a test ends them. */
const waits = new Set<() => void>();
let lazy: SlackSimulator;
beforeAll(async () => {
  lazy = await startSlackSimulator({
    app: { appTokens: { [TOKEN]: ['connections:write'] } },
    identity: { subscriptions: ['message.channels'] },
    after: (_, action) => {
      waits.add(action);
      return () => void waits.delete(action);
    },
  });
});
afterAll(() => lazy.close());

/** Opens a socket. `next` resolves with the next envelope. */
async function openSocket({ apiUrl } = slack) {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const response = await fetch(`${apiUrl}apps.connections.open`, { method: 'POST', headers });
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

test('a client is asked to connect again, and gets nothing more; what it did not acknowledge comes over the next socket', async () => {
  const old = await openSocket(lazy);
  await old.next();
  await lazy.say('ada', 'before the refresh');
  expect(await old.next()).toMatchObject({ type: 'events_api' });
  lazy.refreshSockets();
  expect(await old.next()).toMatchObject({ type: 'disconnect', reason: 'refresh_requested' });
  await lazy.say('ada', 'after the refresh');
  for (const end of waits) end();
  await lazy.delivery.idle();
  const { socket, next } = await openSocket(lazy);
  expect(await next()).toMatchObject({ type: 'hello' });
  const texts: string[] = [];
  for (let n = 0; n < 2; n += 1) {
    const { envelope_id, payload } = await next();
    texts.push(/\w+ the refresh/u.exec(JSON.stringify(payload))?.[0] ?? '');
    socket.send(JSON.stringify({ envelope_id }));
  }
  await lazy.delivery.idle();
  expect(texts.toSorted()).toEqual(['after the refresh', 'before the refresh']);
  old.socket.close();
  socket.close();
});
