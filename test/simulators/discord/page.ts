import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Discord } from './discord.ts';
import { serveAction, serveFile } from './page-actions.ts';
import type { Side } from './side.ts';
import type { Change } from './state.ts';

const FOLDER = new URL('../page/', import.meta.url);
const NAMES = [
  'attach.js',
  'cards.css',
  'composer.js',
  'discord-cards.js',
  'discord-form.js',
  'discord-side.js',
  'discord-slash.js',
  'discord-state.js',
  'discord-view.js',
  'discord.css',
  'discord.js',
  'dom.js',
  'files.js',
  'icon.svg',
  'lock.svg',
  'log.js',
  'markdown.js',
  'menu.js',
  'notice.js',
  'page.css',
  'panes.css',
  'people.js',
  'render.js',
  'side.css',
  'theme.js',
  'thumb.svg',
  'words.css',
  'workspace.js',
];
const FILES: ReadonlyMap<string, string> = new Map([
  ['/', 'discord.html'],
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

/** The page, and what it asks for. */
export type Page = {
  /** True if the path belongs to the page. */
  serve(request: IncomingMessage, response: ServerResponse, path: string): Promise<boolean>;
  /** Where the page of another simulator is, which is then linked. */
  setNeighbour(url: string | undefined): void;
  /** Shows everything anew. */
  refresh(): void;
  close(): void;
};

export function createPage(core: Discord, side: Side): Page {
  const readers = new Set<ServerResponse>();
  let neighbour: string | undefined;
  const tell = (event: string, value: unknown): void => {
    for (const reader of readers) send(reader, event, value);
  };
  const everything = () => ({ neighbour, changes: core.changes().map(seen) });
  const stop = core.onChange((change) => tell('change', seen(change)));
  return {
    async serve(request, response, path) {
      if (path === '/page/feed') {
        response.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream' });
        response.write('retry: 1000\n\n');
        send(response, 'everything', everything());
        readers.add(response);
        response.on('close', () => readers.delete(response));
        return true;
      }
      if (path.startsWith('/page/file/')) return serveFile(core, response, path);
      if (request.method === 'POST' && (await serveAction(core, side, request, response, path))) return true;
      const file = FILES.get(path);
      if (!file) return false;
      const content = await readFile(new URL(file, FOLDER));
      const type = TYPES[file.split('.').at(-1) ?? ''] ?? 'text/plain';
      response.writeHead(200, { ...HEADERS, 'content-type': type });
      response.end(request.method === 'HEAD' ? undefined : content);
      return true;
    },
    setNeighbour(url) {
      neighbour = url;
      tell('everything', everything());
    },
    refresh: () => tell('everything', everything()),
    close() {
      stop();
      for (const reader of readers) reader.end();
    },
  };
}

/** Those who look are told of files, and fetch what they show; tokens are for the app alone. */
function seen(change: Change): Change {
  if (change.kind === 'file') return { ...change, content: '' };
  if (change.kind === 'interaction') return { ...change, interaction: { ...change.interaction, token: '' } };
  return change;
}

function send(reader: ServerResponse, event: string, value: unknown): void {
  if (reader.writableLength > BEHIND_MOST) reader.destroy();
  else reader.write(`event: ${event}\ndata: ${JSON.stringify(value)}\n\n`);
}
