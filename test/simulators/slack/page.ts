import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod/mini';
import { readBody, sendJson } from './http.ts';
import type { Workspace } from './workspace.ts';

const FOLDER = new URL('../page/', import.meta.url);
const NAMES = [
  'composer.js',
  'icon.svg',
  'lock.svg',
  'log.js',
  'markdown.js',
  'page.css',
  'page.js',
  'panes.css',
  'side.css',
  'theme.js',
  'view.js',
  'words.css',
  'workspace.js',
];
const FILES: ReadonlyMap<string, string> = new Map([
  ['/', 'index.html'],
  ...NAMES.map((name): [string, string] => [`/page/${name}`, name]),
]);
const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** The page runs nothing but its own files and talks to nobody else. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** A reader so far behind is dropped; it comes again and gets everything. */
const BEHIND_MOST = 4_000_000;

const sayShape = z.object({
  user: z.string(),
  channel: z.string(),
  thread: z.optional(z.string()),
  text: z.string().check(z.minLength(1), z.maxLength(40_000)),
});

/** The page of the workspace, and what it asks for. */
export type Page = {
  /** True if the path belongs to the page. */
  serve(request: IncomingMessage, response: ServerResponse, path: string): Promise<boolean>;
  /** Tells those who look of something beside the messages. */
  notice(words: string): void;
  /** Shows everything anew. */
  refresh(): void;
  close(): void;
};

export function createPage(workspace: Workspace): Page {
  const readers = new Set<ServerResponse>();
  const tell = (event: string, value: unknown): void => {
    for (const reader of readers) send(reader, event, value);
  };
  const stop = workspace.onChange((change) => tell('change', change));
  return {
    async serve(request, response, path) {
      if (path === '/page/feed') {
        openFeed(workspace, readers, response);
        return true;
      }
      if (path === '/page/say' && request.method === 'POST') {
        await say(workspace, request, response);
        return true;
      }
      const file = FILES.get(path);
      if (!file) return false;
      const content = await readFile(new URL(file, FOLDER));
      response.writeHead(200, {
        ...HEADERS,
        'content-type': TYPES[file.split('.')[1] ?? ''] ?? 'text/plain',
      });
      response.end(request.method === 'HEAD' ? undefined : content);
      return true;
    },
    notice: (words) => tell('notice', words),
    refresh: () => tell('everything', everything(workspace)),
    close() {
      stop();
      for (const reader of readers) reader.end();
    },
  };
}

/** First everything, then every change. A reader that lost the line comes back and starts over. */
function openFeed(workspace: Workspace, readers: Set<ServerResponse>, response: ServerResponse): void {
  response.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream' });
  response.write('retry: 1000\n\n');
  send(response, 'everything', everything(workspace));
  readers.add(response);
  response.on('close', () => readers.delete(response));
}

function everything(workspace: Workspace): object {
  const { teamName, botUserId, botName, users } = workspace.identity;
  return { teamName, bot: { id: botUserId, name: botName }, users, changes: workspace.changes() };
}

function send(reader: ServerResponse, event: string, value: unknown): void {
  if (reader.writableLength > BEHIND_MOST) reader.destroy();
  else reader.write(`event: ${event}\ndata: ${JSON.stringify(value)}\n\n`);
}

async function say(workspace: Workspace, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!fromThisPage(request)) return sendJson(response, 403, { error: 'Not from this page' });
  const said = sayShape.safeParse(jsonOf(await readBody(request)));
  if (!said.success) return sendJson(response, 400, { error: 'Not a message' });
  const { user, text, channel, thread } = said.data;
  try {
    const ts = workspace.say(user, text, { channel, ...(thread === undefined ? {} : { thread }) });
    sendJson(response, 200, { ts });
  } catch (error) {
    sendJson(response, 400, { error: error instanceof Error ? error.message : 'Refused' });
  }
}

/** Another site's page in the same browser must not write here; only JSON of our own origin is taken. */
function fromThisPage(request: IncomingMessage): boolean {
  const { origin, host } = request.headers;
  if (!request.headers['content-type']?.startsWith('application/json')) return false;
  return origin === undefined || origin === `http://${host}` || origin === `https://${host}`;
}

function jsonOf(body: string | undefined): unknown {
  try {
    return JSON.parse(body ?? '');
  } catch {
    return undefined;
  }
}
