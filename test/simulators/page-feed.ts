import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';

const PATH = '/page/feed';

/** A reader so far behind (bytes) is dropped; it comes again and gets everything. */
const MAX_BEHIND = 32_000_000;

/**
 * Tells the open windows of a page what happens. Over a web socket, because a browser opens no more than six other
 * connections to one server: six windows that listen by events would leave none for what people send.
 */
export type Feed = {
  /** Takes over a connection that asks for the feed; false if it asks for anything else. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  tell(event: string, value: unknown): void;
  close(): void;
};

/** `isAllowed` says who may listen; `everything` is what each reader gets first. */
export function createFeed(isAllowed: (request: IncomingMessage) => boolean, everything: () => object): Feed {
  const server = new WebSocketServer({ noServer: true, maxPayload: 1_024 });
  server.on('connection', (reader) => {
    // A page that is closed in the middle of a message is nothing to report.
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
