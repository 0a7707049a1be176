import { createServer, type IncomingMessage } from 'node:http';
import { close, listen } from '../slack/http.ts';
import { type Page, serviceOf } from './services.ts';

/** What happens to the next requests, instead of an answer. */
export type SearchFault =
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'silent' }
  | { readonly kind: 'body'; readonly body: string }
  | { readonly kind: 'redirect'; readonly to: string };

export type SearchSimulator = {
  readonly url: string;
  readonly key: string;
  /** The queries that arrived with a valid key, oldest first. */
  readonly queries: readonly string[];
  /** The pages that are found from now on; by default, pages that name the query. */
  setPages(pages: readonly Page[] | undefined): void;
  /** Faults of the next requests, in order. */
  setFaults(faults: readonly SearchFault[]): void;
  close(): Promise<void>;
};

const HOSTS = [
  'news.example.com',
  'docs.example.org',
  'wiki.example.net',
  'blog.example.com',
  'forum.example.org',
  'paper.example.net',
];

/** The pages of a query: always the same. */
const pagesAbout = (query: string): readonly Page[] =>
  HOSTS.map((host, at) => ({
    title: `${query} &amp; more (${at + 1})`,
    url: `https://${host}/${encodeURIComponent(query)}?page=${at + 1}`,
    text: `Page ${at + 1} says about <strong>${query}</strong> that it is so.`,
  }));

const MAX_BODY_BYTES = 100_000;

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const stream: AsyncIterable<Buffer> = request;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Starts the search services on one port of this machine. */
export async function startSearchSimulator(key = 'simulated-search-key'): Promise<SearchSimulator> {
  const queries: string[] = [];
  let pages: readonly Page[] | undefined;
  let faults: SearchFault[] = [];
  const server = createServer((incoming, response) => {
    const respond = (status: number, body: string, headers: Record<string, string> = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    const answer = async (): Promise<void> => {
      const url = new URL(incoming.url ?? '/', 'http://localhost');
      const method = incoming.method ?? 'GET';
      const service = serviceOf({ method, url });
      const header = (name: string) => incoming.headers[name]?.toString();
      const body = await bodyOf(incoming);
      if (!service) return void respond(404, '{}');
      const fault = faults.shift();
      if (fault?.kind === 'silent') return;
      if (fault?.kind === 'status') return void respond(fault.status, '{}');
      if (fault?.kind === 'body') return void respond(200, fault.body);
      if (fault?.kind === 'redirect') return void respond(302, '', { location: fault.to });
      const reading = service.read({ method, url, header, body }, key);
      if ('status' in reading) return void respond(reading.status, JSON.stringify(reading.body));
      queries.push(reading.query);
      const results = (pages ?? pagesAbout(reading.query)).slice(0, reading.count);
      respond(200, JSON.stringify(service.respond(reading.query, results)));
    };
    answer().catch(() => respond(500, '{}'));
  });
  const url = await listen(server, 0, '127.0.0.1');
  return {
    url,
    key,
    queries,
    setPages: (next) => (pages = next),
    setFaults: (next) => (faults = [...next]),
    close: () => close(server),
  };
}
