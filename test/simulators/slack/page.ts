import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { serveAction, servePicture } from './page-actions.ts';
import type { SlackWorkspace } from './side.ts';
import type { Change } from './state.ts';
import type { Workspace } from './workspace.ts';

const FOLDER = new URL('../page/', import.meta.url);
const NAMES = [
  'attach.js',
  'blocks.js',
  'cards.css',
  'composer.js',
  'dom.js',
  'files.js',
  'home.js',
  'icon.svg',
  'lock.svg',
  'log.js',
  'markdown.js',
  'menu.js',
  'modal.css',
  'modal.js',
  'notice.js',
  'page.css',
  'page.js',
  'panes.css',
  'people.js',
  'press.js',
  'render.js',
  'rich.js',
  'side.css',
  'side.js',
  'theme.js',
  'thumb.svg',
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
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; media-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** A reader so far behind is dropped; it comes again and gets everything. */
const BEHIND_MOST = 4_000_000;

/** The page of the workspace, and what it asks for. */
export type Page = {
  /** True if the path belongs to the page. */
  serve(request: IncomingMessage, response: ServerResponse, path: string): Promise<boolean>;
  /** Tells those who look of something beside the messages. */
  notice(words: string): void;
  /** Where the page of the simulated Discord is, for a link to it. */
  setNeighbour(url: string | undefined): void;
  /** Shows everything anew. */
  refresh(): void;
  close(): void;
};

export function createPage(side: SlackWorkspace): Page {
  const workspace = side.core;
  const readers = new Set<ServerResponse>();
  const tell = (event: string, value: unknown): void => {
    for (const reader of readers) send(reader, event, value);
  };
  let neighbour: string | undefined;
  const all = () => ({ ...everything(workspace), neighbour });
  const stop = workspace.onChange((change) => tell('change', seen(change)));
  return {
    async serve(request, response, path) {
      if (path === '/page/feed') {
        openFeed(all(), readers, response);
        return true;
      }
      if (path.startsWith('/page/file/')) return servePicture(workspace, response, path);
      if (request.method === 'POST' && (await serveAction(side, request, response, path))) return true;
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
    setNeighbour(url) {
      neighbour = url;
      tell('everything', all());
    },
    refresh: () => tell('everything', all()),
    close() {
      stop();
      for (const reader of readers) reader.end();
    },
  };
}

/** First everything, then every change. A reader that lost the line comes back and starts over. */
function openFeed(all: object, readers: Set<ServerResponse>, response: ServerResponse): void {
  response.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream' });
  response.write('retry: 1000\n\n');
  send(response, 'everything', all);
  readers.add(response);
  response.on('close', () => readers.delete(response));
}

function everything(workspace: Workspace): object {
  const { teamName, botUserId, botName, users, shortcuts = [] } = workspace.identity;
  const stoppable = workspace.identity.subscriptions.includes('agent_session_stopped');
  const bot = { id: botUserId, name: botName };
  return { teamName, bot, users, shortcuts, stoppable, changes: workspace.changes().map(seen) };
}

/** Those who look are told of files, and fetch what they show. */
const seen = (change: Change): Change => (change.kind === 'file' ? { ...change, content: '' } : change);

function send(reader: ServerResponse, event: string, value: unknown): void {
  if (reader.writableLength > BEHIND_MOST) reader.destroy();
  else reader.write(`event: ${event}\ndata: ${JSON.stringify(value)}\n\n`);
}
