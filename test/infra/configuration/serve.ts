import { createServer } from 'node:http';
import { listen } from '../../../infra/local/listen.ts';

type Reply = {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The status for every key but `key`. Default: that of `key`. */
  readonly wrongKeyStatus?: number;
};

/**
 * A server with given responses by method and path, 404 for all else, and no response to `hangs`. `asked` resolves
 * with its first request.
 */
export async function serve(routes: Readonly<Record<string, Reply>>, hangs: readonly string[] = []) {
  const calls: string[] = [];
  const first = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    const route = `${request.method} ${request.url}`;
    calls.push(route);
    first.resolve();
    if (hangs.includes(route)) return;
    const {
      status: rightStatus = 200,
      body = {},
      headers = {},
      wrongKeyStatus = rightStatus,
    } = routes[route] ?? { status: 404, body: 'Not here' };
    const status = request.headers.authorization === 'Bearer key' ? rightStatus : wrongKeyStatus;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
    request.resume();
  });
  const url = `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}`;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url, calls, requestSeen: first.promise, close };
}
