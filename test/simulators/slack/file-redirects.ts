import { createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Api } from './api.ts';
import { isFilePath, serveFile } from './file-host.ts';
import { close, listen } from './http.ts';

/**
 * Where `files.slack.com` redirects authorized clients. `grid`: as in Enterprise Grid, to `files-origin.slack.com`,
 * which requires the token again. `presigned`: to a presigned URL of `*.slack-edge.com`, which accepts no token.
 */
export type FilesRedirect = 'grid' | 'presigned';

/** A second file host. */
export type SecondFileHost = {
  readonly origin: string;
  /** The URL of a file on this host, for authorized clients. */
  readonly locationOf: (path: string) => string;
  readonly close: () => Promise<void>;
};

const SIGNED = /^\/files-pri-safe\/(([A-Z0-9]+)-F[A-Z0-9]+\/[^/]+)$/;
const HEADERS = { 'content-type': 'text/html; charset=utf-8' };

/** Starts the second host on a port of its own, which is another origin, as in Slack. */
export async function startSecondFileHost(
  kind: FilesRedirect,
  host: string,
  api: () => Api,
): Promise<SecondFileHost> {
  const key = randomBytes(16);
  const sign = (path: string): string => createHmac('sha256', key).update(path).digest('hex').slice(0, 16);

  /** Like storage with signed URLs: a second kind of authorization is refused. */
  async function serveSigned(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const [, path = '', team] = SIGNED.exec(url.pathname) ?? [];
    const signed = request.headers.authorization === undefined && url.searchParams.get('c') === sign(path);
    if (!signed) return void response.writeHead(400, HEADERS).end('<html><body>Bad request</body></html>');
    const token = api().workspaces.find(({ identity }) => identity.teamId === team)?.identity.botToken;
    return serveFile(api(), request, response, `/files-pri/${path}`, { token });
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://simulator');
    const again = kind === 'grid' && isFilePath(url.pathname);
    const served = again
      ? serveFile(api(), request, response, url.pathname)
      : serveSigned(request, response, url);
    served.catch(() => response.destroy());
  });
  const origin = await listen(server, 0, host);
  return {
    origin,
    locationOf: (path) => {
      if (kind === 'grid') return `${origin}${path}`;
      const plain = path.replace(/^\/files-pri\//, '').replace('/download/', '/');
      return `${origin}/files-pri-safe/${plain}?c=${sign(plain)}`;
    },
    close: () => close(server),
  };
}
