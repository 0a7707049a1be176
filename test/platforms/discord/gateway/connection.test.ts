import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, test } from '@jest/globals';
import { Connection } from '../../../../shared/platforms/discord/gateway/connection.ts';

const nothing = (): void => undefined;

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
  const connection = new Connection({
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
  });
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
