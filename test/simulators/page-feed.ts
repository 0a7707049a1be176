import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';

const PATH = '/page/feed';

/** A reader this far behind (bytes) is disconnected; it reconnects and gets everything. */
const MAX_BEHIND = 32_000_000;

/**
 * Sends changes to the open windows of a page, over a web socket: browsers open at most six other connections to one
 * server, so six windows with event streams would block all requests.
 */
export type Feed = {
  /** Handles a connection that requests the feed; false for any other. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  tell(event: string, value: unknown): void;
  close(): void;
};

/** `isAllowed` decides who may connect; `everything` is sent to each reader first. */
export function createFeed(isAllowed: (request: IncomingMessage) => boolean, everything: () => object): Feed {
  const server = new WebSocketServer({ noServer: true, maxPayload: 1_024 });
  server.on('connection', (reader) => {
    // A page that is closed during a message is not an error.
    reader.on('error', () => reader.terminate());
    send(reader, 'everything', everything());
  });
  return {
    upgrade(request, socket, head) {
      if (new URL(request.url ?? '/', 'http://simulator').pathname !== PATH) return false;
      if (isAllowed(request))
        server.handleUpgrade(request, socket, head, (it) => server.emit('connection', it));
      else socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n');
      return true;
    },
    tell(event, value) {
      for (const reader of server.clients) {
        if (reader.bufferedAmount > MAX_BEHIND) reader.terminate();
        else send(reader, event, value);
      }
    },
    close() {
      for (const reader of server.clients) reader.terminate();
      server.close();
    },
  };
}

function send(reader: WebSocket, event: string, value: unknown): void {
  if (reader.readyState === WebSocket.OPEN) reader.send(JSON.stringify({ event, value }));
}
