import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import { WebSocketServer } from 'ws';
import { Connection, type ConnectionDeps } from '../../../../shared/platforms/discord/gateway/connection.ts';

/** Opcodes of the gateway: docs:topics/opcodes-and-status-codes#gateway. */
const [DISPATCH, HEARTBEAT, RESUME, HELLO, HEARTBEAT_ACK] = [0, 1, 6, 10, 11];

const nothing = (): void => undefined;

function connectionTo(gatewayUrl: string, changes: Partial<ConnectionDeps> = {}): Connection {
  return new Connection({
    token: 'token',
    shard: { id: 0, count: 1 },
    intents: 0,
    gatewayUrl,
    session: () => ({ id: 'session', resumeUrl: `${gatewayUrl}/resume`, sequence: 7 }),
    onNewSession: nothing,
    onSessionLost: nothing,
    onResumed: nothing,
    onOpen: nothing,
    waitForIdentify: () => Promise.resolve(),
    sleep: () => Promise.resolve(),
    random: () => 0.5,
    dispatch: nothing,
    onAlive: nothing,
    onFatalClose: nothing,
    log: nothing,
    ...changes,
  });
}

test('a session whose resume URL fails four times in a row is resumed at the configured gateway', async () => {
  const paths: string[] = [];
  const attempts = Promise.withResolvers<void>();
  const server = createServer();
  server.on('upgrade', ({ url = '' }, socket) => {
    paths.push(new URL(url, 'ws://localhost').pathname);
    socket.end('HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n');
    if (paths.length === 5) attempts.resolve();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const gatewayUrl = `ws://127.0.0.1:${port}`;
  const connection = connectionTo(gatewayUrl);
  try {
    connection.open();
    await attempts.promise;
  } finally {
    await connection.leave();
    server.close();
    server.closeAllConnections();
  }
  expect(paths.slice(0, 5)).toEqual(['/resume', '/resume', '/resume', '/resume', '/']);
});

test.each([
  ['cut as soon as it is resumed: the pauses grow', false, [375, 750, 1_500]],
  ['cut after a heartbeat: each pause is the first one', true, [375, 375, 375]],
])('a session that is %s', async (_, beats, expected) => {
  const pauses: number[] = [];
  const paused = Promise.withResolvers<void>();
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', (socket) => {
    const send = (payload: object): void => socket.send(JSON.stringify(payload));
    socket.on('message', (data) => {
      const text = Buffer.isBuffer(data) ? data.toString('utf8') : '';
      const { op } = v.parse(v.object({ op: v.number() }), JSON.parse(text));
      if (op === RESUME) {
        send({ op: DISPATCH, t: 'RESUMED', s: 8, d: {} });
        if (!beats) setImmediate(() => socket.terminate());
      } else if (op === HEARTBEAT) {
        send({ op: HEARTBEAT_ACK });
        setImmediate(() => socket.terminate());
      }
    });
    // Long enough for the acknowledgement of a busy machine: without it before the next heartbeat, the client would reconnect itself.
    send({ op: HELLO, d: { heartbeat_interval: beats ? 300 : 40_000 } });
  });
  await once(server, 'listening');
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const connection = connectionTo(`ws://127.0.0.1:${port}`, {
    sleep: async (ms) => {
      pauses.push(ms);
      if (pauses.length === expected.length) paused.resolve();
    },
  });
  try {
    connection.open();
    await paused.promise;
  } finally {
    await connection.leave();
    server.close();
  }
  expect(pauses.slice(0, expected.length)).toEqual(expected);
});
