import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { createFeed, type Feed } from './page-feed.ts';

const FOLDER = new URL('page/', import.meta.url);
const PART = /^\/page\/([a-z-]+\.(?:css|js|svg))$/u;
const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** The page runs its own files only, and connects to no other server. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; media-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** What a simulator shows on its page. */
export type Shown<Change> = {
  /** The page itself, in the folder `page`. */
  readonly html: string;
  everything(): object;
  /** Each change, as the page may see it. Returns a function that stops listening. */
  onChange(listener: (change: Change) => void): () => void;
  /** A file that was sent. True once it was served. */
  file(request: IncomingMessage, response: ServerResponse, path: string): boolean;
  /** An action on the page. True if it is known. */
  action(request: IncomingMessage, response: ServerResponse, path: string): Promise<boolean>;
};

/** What the page links to. */
export type PageLinks = {
  /** The URL of another simulator's page. */
  readonly neighbour?: string | undefined;
  /** The URL of the operator's dashboard. */
  readonly dashboard?: string | undefined;
  /** The titles of the faults that are on. */
  readonly faults?: readonly string[];
};

/** The page of a simulator, with its resources. */
export type Page = Pick<Feed, 'upgrade'> & {
  /** True if the path belongs to the page. */
  serve(request: IncomingMessage, response: ServerResponse, path: string): Promise<boolean>;
  /** Sends the page something besides the messages. */
  notice(words: string): void;
  /** Where the page links to. */
  setLinks(links: PageLinks): void;
  /** Sends everything again. */
  refresh(): void;
  close(): void;
};

/** A page gets everything first, then every change. A page that lost the connection reconnects and starts over. */
export function servePage<Change>(adapter: Shown<Change>): Page {
  let links: PageLinks = {};
  const everything = () => ({ ...adapter.everything(), links });
  const feed = createFeed((request) => !isMisdirected(request) && isOfThisPage(request), everything);
  const stop = adapter.onChange((change) => feed.tell('change', change));
  return {
    upgrade: (request, socket, head) => feed.upgrade(request, socket, head),
    async serve(request, response, path) {
      if (/^\/(?:page\/|$)/u.test(path) && isMisdirected(request)) {
        response.writeHead(421, { ...HEADERS, 'content-type': 'text/plain; charset=utf-8' });
        response.end('Open this page by the IP address or the short name of its machine.\n');
        return true;
      }
      if (path.startsWith('/page/file/')) return adapter.file(request, response, path);
      if (request.method === 'POST' && (await adapter.action(request, response, path))) return true;
      const name = path === '/' ? adapter.html : PART.exec(path)?.[1];
      const content = name === undefined ? undefined : await contentOf(name);
      if (content === undefined) return false;
      const type = TYPES[name?.split('.').at(-1) ?? ''] ?? 'text/plain';
      response.writeHead(200, { ...HEADERS, 'content-type': type });
      response.end(request.method === 'HEAD' ? undefined : content);
      return true;
    },
    notice: (words) => feed.tell('notice', words),
    setLinks(next) {
      links = next;
      feed.tell('everything', everything());
    },
    refresh: () => feed.tell('everything', everything()),
    close() {
      stop();
      feed.close();
    },
  };
}

/** A DNS name that others may have pointed to this machine: their page would have this origin. */
function isMisdirected({ headers: { host = '' } }: IncomingMessage): boolean {
  const name = URL.parse(`http://${host}`)?.hostname ?? '';
  const ours = isIP(name.replaceAll(/[[\]]/gu, '')) > 0 || /^[^.]*$|\.local(?:host)?$/u.test(name);
  return !ours;
}

/**
 * A page of another site in the same browser must not read or write here; no `ModalOrigin` means that it is no
 * browser.
 */
export function isOfThisPage({ headers: { origin, host } }: IncomingMessage): boolean {
  return origin === undefined || origin === `http://${host}` || origin === `https://${host}`;
}

const contentOf = (name: string): Promise<Buffer | undefined> =>
  readFile(new URL(name, FOLDER)).catch(() => undefined);
