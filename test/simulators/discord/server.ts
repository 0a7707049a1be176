import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Api, type SeenCall, sendJson, serveCall, serveFile } from './api.ts';
import { isCdnPath } from './cdn.ts';
import { createDelivery, type Delivery } from './delivery.ts';
import { createDiscord, type Discord, type DiscordOptions } from './discord.ts';
import { createFaults, type Faults } from './faults.ts';
import { type Journal, openJournal } from './journal.ts';
import { type Keys, keysOf, newKeys } from './keys.ts';
import { createLimits } from './limits.ts';
import { createUserInteractions, type UserInteractions } from './user-interactions.ts';
import type { Page, PageLinks } from '../page-server.ts';
import { createPage } from './page.ts';
import type { Recorder } from '../recorder.ts';
import { readSpecification } from './spec.ts';
import { type Answered, acceptForeignInteraction } from './foreign-interactions.ts';

export type DiscordSimulatorOptions = Omit<DiscordOptions, 'past' | 'cdnUrl'> & {
  /** 0, the default, takes any free port. */
  readonly port?: number;
  /** 127.0.0.1 unless told. */
  readonly host?: string;
  /** Stores everything across restarts. */
  readonly file?: string;
  /**
   * The folder with `specs/discord-openapi.json`, which validates requests and the simulator's own responses; by
   * default that of PARLEY_SHARED.
   */
  readonly shared?: string | undefined;
  /** The seed of the key that signs interactions: 32 bytes in hex. A new one by default. */
  readonly privateKey?: string;
  /** The origin of the app, to which `/discord/interactions` and `/discord/events` are added; or use `setDeliverTo`. */
  readonly deliverTo?: string;
  /** Refuses requests above the limits of routes, and above 50 a second; off by default. */
  readonly enforceLimits?: boolean;
  /** Refuses clients without Discord's user agent format; off by default. */
  readonly insistOnUserAgent?: boolean;
  /** Receives every REST request with its response, and the bodies of HTTP responses to interactions. */
  readonly record?: Recorder | undefined;
  /** Real time by default, for delays and the 3 s limit. */
  readonly after?: (ms: number, action: () => void) => () => void;
};

/** A Discord on this machine. */
export type DiscordSimulator = UserInteractions & {
  /** The page. */
  readonly url: string;
  /** For `DISCORD_API_URL`, with the version. */
  readonly apiUrl: string;
  readonly applicationId: string;
  readonly botToken: string;
  readonly keys: Keys;
  readonly core: Discord;
  readonly faults: Faults;
  /** The last REST requests and file downloads, oldest first, at most 10,000. */
  readonly calls: readonly SeenCall[];
  /** The number of requests of the last ten minutes with the status 401, 403 or 429. */
  invalidCalls(): number;
  readonly delivery: Pick<Delivery, 'inspect' | 'idle'>;
  setDeliverTo(url: string | undefined): void;
  /** Where the page links to: the page of the simulated Slack, and the dashboard. */
  setLinks(links: PageLinks): void;
  setGatewayUrl(url: string): void;
  /** Records an interaction that another tool posts to the app, if it is signed with the key of this simulator. */
  observe(header: (name: string) => string | undefined, body: Buffer): Answered | undefined;
  reset(): void;
  close(): Promise<void>;
};

const CALLS_KEPT = 10_000;
const INVALID_WINDOW_MS = 600_000;

/** Starts the simulator. Rejects when the port is taken. */
export async function startDiscordSimulator(
  options: DiscordSimulatorOptions = {},
): Promise<DiscordSimulator> {
  const now = options.clock ?? Date.now;
  const after = options.after ?? realAfter;
  const address = { url: '' };
  const journal = options.file === undefined ? undefined : openJournal(options.file);
  const core = createDiscord({ ...options, cdnUrl: () => address.url, past: journal?.past ?? [] });
  if (journal) core.onChange((change) => journal.changed(change));
  const faults = createFaults();
  const watch = {
    specification: readSpecification(options.shared ?? process.env['PARLEY_SHARED']),
    record: options.record,
  };
  const calls: SeenCall[] = [];
  const limits = createLimits(now, options.enforceLimits ?? false);
  const invalid = invalidCounter(now);
  const api: Api = {
    context: core.context,
    faults,
    limits,
    after,
    ...watch,
    insistOnUserAgent: options.insistOnUserAgent ?? false,
    onCall: (call) => {
      if (calls.push(call) > CALLS_KEPT) calls.shift();
    },
    invalid,
  };
  const keys = options.privateKey === undefined ? newKeys() : keysOf(options.privateKey);
  core.context.portal.publicKey = keys.publicKey;
  const delivery = createDelivery({ context: core.context, keys, after, watch });
  const side = createUserInteractions(core, delivery);
  const page = createPage(core, side);
  const server = createServer((request, response) => {
    serve(api, page, request, response).catch((error: unknown) => {
      const { message } = error instanceof Error ? error : { message: '500: Internal Server Error' };
      process.emitWarning(message, 'DiscordSimulator');
      if (!response.headersSent) sendJson(response, 500, { message, code: 0 });
      response.destroy();
    });
  });
  server.on('upgrade', (request, socket, head) => {
    if (!page.upgrade(request, socket, head)) socket.destroy();
  });
  address.url = await listen(server, options.port ?? 0, options.host ?? '127.0.0.1');
  delivery.setTarget(options.deliverTo);
  let closing: Promise<void> | undefined;
  return {
    ...side,
    url: address.url,
    apiUrl: `${address.url}/api/v10`,
    applicationId: core.identity.applicationId,
    botToken: core.identity.botToken,
    keys,
    core,
    faults,
    calls,
    delivery,
    setDeliverTo: (to) => delivery.setTarget(to),
    setLinks: (links) => page.setLinks(links),
    observe: (header, body) => acceptForeignInteraction(core.context, keys, header, body, watch),
    invalidCalls: () => invalid.count(),
    setGatewayUrl: (url) => {
      core.context.gateway.url = url;
    },
    reset() {
      journal?.clear();
      core.reset();
      faults.clear();
      limits.clear();
      invalid.clear();
      calls.splice(0);
      page.refresh();
    },
    close: () => (closing ??= close(server, page, delivery, journal)),
  };
}

const realAfter = (ms: number, action: () => void): (() => void) => {
  const timer = setTimeout(action, ms);
  return () => clearTimeout(timer);
};

function invalidCounter(now: () => number) {
  let times: number[] = [];
  return {
    add: () => void times.push(now()),
    count() {
      times = times.filter((time) => now() - time < INVALID_WINDOW_MS);
      return times.length;
    },
    clear: () => void times.splice(0),
  };
}

async function serve(
  api: Api,
  page: Page,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://simulator');
  if (url.pathname.startsWith('/api/')) return serveCall(api, request, response, url);
  if (isCdnPath(url.pathname)) return serveFile(api, request, response, url);
  if (await page.serve(request, response, url.pathname)) return;
  sendJson(response, 404, { message: '404: Not Found', code: 0 });
}

function listen(server: Server, port: number, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      const bound = typeof address === 'object' && address ? address.port : port;
      resolve(`http://${host.includes(':') ? `[${host}]` : host}:${bound}`);
    });
  });
}

async function close(
  server: Server,
  page: Page,
  delivery: Delivery,
  journal: Journal | undefined,
): Promise<void> {
  page.close();
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await Promise.all([closed, delivery.close()]);
  journal?.close();
}
