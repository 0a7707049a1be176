import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';

/** The sockets of socket mode. */
export type Sockets = {
  /** Accepts a socket at the path of `apps.connections.open`. False if the request is not for it. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  close(): void;
};

export const SOCKET_PATH = '/link';

/** Accepts sockets and says hello, as Slack does. Events are not sent over them. */
export function createSockets(appId: string): Sockets {
  const server = new WebSocketServer({ noServer: true });
  return {
    upgrade(request, socket, head) {
      if (new URL(request.url ?? '/', 'http://simulator').pathname !== SOCKET_PATH) return false;
      server.handleUpgrade(request, socket, head, (client) => {
        const connection_info = { app_id: appId };
        client.send(JSON.stringify({ type: 'hello', num_connections: server.clients.size, connection_info }));
      });
      return true;
    },
    close() {
      for (const client of server.clients) client.terminate();
      server.close();
    },
  };
}
