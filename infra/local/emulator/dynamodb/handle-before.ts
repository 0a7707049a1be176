import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/** Puts a handler before those that the server has now. They handle a request when it calls `next`. */
export function handleBefore(
  server: Server,
  handle: (request: IncomingMessage, response: ServerResponse, next: () => void) => void,
): void {
  const handlers = server.listeners('request');
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    handle(request, response, () => {
      for (const handler of handlers) Reflect.apply(handler, server, [request, response]);
    });
  });
}
