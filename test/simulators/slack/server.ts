import { type AppSettings, createSlackApp, DEFAULT_APP } from './app-settings.ts';
import { isUploadPath, takeUpload } from './upload-host.ts';
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import * as v from 'valibot';
import { type Api, type SeenCall, serveCall } from './api.ts';
import { createDelivery, type Delivery, type Failure, type RequestUrls, sign } from './delivery.ts';
import { createFaults, type Faults } from './faults.ts';
import { isFilePath, serveFile } from './file-host.ts';
import { type FilesRedirect, startSecondFileHost } from './file-redirects.ts';
import { isHookPath, serveHook } from './hooks.ts';
import { close, jsonOf, listen, sendJson } from './http.ts';
import { type Journal, openJournal } from './journal.ts';
import { createOAuth, type OAuthApp, serveAuthorize } from './oauth.ts';
import type { Page, PageLinks } from '../page-server.ts';
import type { Recorder } from '../recorder.ts';
import { createPage } from './page.ts';
import { createSockets } from './socket-mode.ts';
import { createUserInteractions, type SlackWorkspace } from './user-interactions.ts';
import { type After, realAfter } from './timers.ts';
import { createWorkspace, type Workspace, type WorkspaceOptions } from './workspace.ts';

export type SlackSimulatorOptions = Omit<WorkspaceOptions, 'past' | 'nth' | 'filesUrl' | 'hooksUrl'> & {
  /** 0, the default, takes any free port. */
  readonly port?: number;
  /** 127.0.0.1 unless told. */
  readonly host?: string;
  /** The URL for events and clicks; without it events wait for `setDeliverTo`. */
  readonly deliverTo?: string;
  readonly signingSecret?: string;
  readonly botToken?: string;
  /** More workspaces with the app, each with a token of its own, behind the same URLs. */
  readonly others?: readonly Pick<WorkspaceOptions, 'identity' | 'channels'>[];
  /** Files are served by a second host; by the first only by default. */
  readonly filesRedirect?: FilesRedirect;
  /**
   * A `response_url` accepts no `markdown` blocks, as people measured of incoming webhooks; it accepts them by
   * default.
   */
  readonly hooksRefuseMarkdown?: boolean;
  /** The settings of the app, and its tokens. By default it has no tokens. */
  readonly app?: Partial<AppSettings>;
  /** How the app can be installed in more workspaces; without it, it cannot. */
  readonly oauth?: OAuthApp;
  /**
   * Stores messages, and events that were not accepted, across restarts; those of other workspaces in files next to
   * it.
   */
  readonly file?: string;
  /** Real time by default, for the 3 s limit, retries and delays. */
  readonly after?: After;
  /** How often each event is delivered; 1 unless told. */
  readonly copies?: number;
  readonly onFailure?: (failure: Failure) => void;
  /** Called with the id of each accepted event. */
  readonly onTaken?: (eventId: string) => void;
  /** Receives every request and delivery with its response. */
  readonly record?: Recorder | undefined;
};

/** A Slack on this machine: Web API, files, signed events and clicks, and a page. */
export type SlackSimulator = SlackWorkspace & {
  /** The page, of the first workspace. */
  readonly url: string;
  /** The `slackApiUrl` for Slack's clients. */
  readonly apiUrl: string;
  /** The origin of files. */
  readonly filesUrl: string;
  /** All file hosts with their ports: the first, and the one that it redirects to. */
  readonly fileHosts: readonly string[];
  readonly signingSecret: string;
  /** All workspaces; the first is the simulator's own `core`, `say` and so on. */
  readonly workspaces: readonly SlackWorkspace[];
  readonly delivery: Pick<Delivery, 'hold' | 'release' | 'idle' | 'verify' | 'setCopies'>;
  readonly faults: Faults;
  /** The last Web API requests and file downloads, oldest first, at most 10,000. */
  readonly calls: readonly SeenCall[];
  /** The app's request URLs: one, or one per type, as in its manifest. */
  setDeliverTo(to: string | RequestUrls | undefined): void;
  /** Slack asks the sockets of socket mode to connect again. */
  refreshSockets(): void;
  /** Where the page links to: the page of the simulated Discord, and the dashboard. */
  setLinks(links: PageLinks): void;
  /** Records the message of an event that another tool posts to the app, if it is signed as Slack signs. */
  observe(header: (name: string) => string | undefined, body: Buffer): void;
  /** Removes all messages, faults and recorded requests. */
  reset(): void;
  close(): Promise<void>;
};

const CALLS_KEPT = 10_000;

/** Starts the simulator. Rejects when the port is taken. */
export async function startSlackSimulator(options: SlackSimulatorOptions = {}): Promise<SlackSimulator> {
  const now = options.clock ?? Date.now;
  const after = options.after ?? realAfter;
  const signingSecret = options.signingSecret ?? randomBytes(16).toString('hex');
  const address = { url: '' };
  const { cores, journals } = workspacesOf(options, () => address.url);
  const sockets = createSockets(cores[0].identity.appId);
  const delivery = createDelivery({
    sockets,
    signingSecret,
    now,
    after,
    copies: options.copies ?? 1,
    record: options.record,
    onSettled: (id) => journals.forEach((journal) => journal.settled(id)),
    onTaken: options.onTaken,
    onFailure: (failure) => {
      page.notice(wordsOf(failure));
      options.onFailure?.(failure);
    },
  });
  const [first, ...others] = cores;
  const side = createUserInteractions(first, delivery);
  const page = createPage(side);
  const faults = createFaults();
  const calls: SeenCall[] = [];
  for (const core of cores) core.onEvent((envelope) => delivery.send(envelope));
  const onCall = (call: SeenCall): void => {
    if (calls.push(call) > CALLS_KEPT) calls.shift();
  };
  const oauth = options.oauth && createOAuth(options.oauth);
  const { host = '127.0.0.1', hooksRefuseMarkdown } = options;
  const second = options.filesRedirect && (await startSecondFileHost(options.filesRedirect, host, () => api));
  const api: Api = {
    workspaces: cores,
    now,
    after,
    faults,
    oauth,
    app: createSlackApp(
      first.identity.appId,
      { ...DEFAULT_APP, ...options.app },
      { now, url: () => address.url, signingSecret, enforceTiers: options.enforceTiers ?? false },
    ),
    onCall,
    record: options.record,
    hooksRefuseMarkdown,
    redirectFile: second?.locationOf,
  };
  const server = createServer((request, response) => {
    serve(request, response, page, api).catch(() => {
      if (!response.headersSent) sendJson(response, 500, { ok: false, error: 'internal_error' });
      response.destroy();
    });
  });
  server.on('upgrade', (request, socket, head) => {
    if (!sockets.upgrade(request, socket, head) && !page.upgrade(request, socket, head)) socket.destroy();
  });
  const url = await listen(server, options.port ?? 0, host).catch(async (error: unknown) => {
    await second?.close();
    throw error;
  });
  address.url = url;
  for (const envelope of journals.flatMap((journal) => journal.pending)) delivery.send(envelope);
  delivery.setTarget(options.deliverTo);
  let closing: Promise<void> | undefined;
  return {
    ...side,
    url,
    apiUrl: `${url}/api/`,
    filesUrl: url,
    fileHosts: [url, ...(second ? [second.origin] : [])].map((origin) => new URL(origin).host),
    signingSecret,
    workspaces: [side, ...others.map((core) => createUserInteractions(core, delivery))],
    delivery,
    faults,
    calls,
    setDeliverTo: (to) => delivery.setTarget(to),
    refreshSockets: () => sockets.refresh(),
    setLinks: (links) => page.setLinks(links),
    observe: (header, body) => observe(cores, signingSecret, header, body),
    reset() {
      for (const core of cores) core.reset();
      for (const journal of journals) journal.clear();
      faults.clear();
      calls.splice(0);
      page.refresh();
    },
    close: () => {
      sockets.close();
      const parts = [{ close: () => close(server) }, delivery, ...(second ? [second] : [])];
      return (closing ??= closeAll(parts, page, journals));
    },
  };
}

type Cores = { cores: readonly [Workspace, ...Workspace[]]; journals: Journal[] };

/** The workspaces with the content of their files, if they are stored. */
function workspacesOf(options: SlackSimulatorOptions, url: () => string): Cores {
  const journals: Journal[] = [];
  const build = (own: Pick<WorkspaceOptions, 'identity' | 'channels'>, nth: number): Workspace => {
    const token = nth === 0 ? (options.botToken ?? own.identity?.botToken) : own.identity?.botToken;
    const botToken = token ?? `xoxb-simulated-${randomBytes(12).toString('hex')}`;
    const file = nth === 0 ? options.file : options.file?.replace(/(\.\w+)?$/, `-${nth}$1`);
    const journal = file === undefined ? undefined : openJournal(file);
    const core = createWorkspace({
      ...options,
      ...own,
      nth,
      filesUrl: url,
      hooksUrl: url,
      identity: { ...own.identity, botToken },
      ...(journal ? { past: journal.past } : {}),
    });
    if (journal) {
      journals.push(journal);
      core.onEvent((envelope) => journal.emitted(envelope));
      core.onChange((change) => journal.changed(change));
    }
    return core;
  };
  const { identity = {}, channels = [] } = options;
  const others = (options.others ?? []).map((one, index) => build({ channels: [], ...one }, index + 1));
  return { cores: [build({ identity, channels }, 0), ...others], journals };
}

function observe(
  cores: readonly [Workspace, ...Workspace[]],
  secret: string,
  header: (name: string) => string | undefined,
  body: Buffer,
): void {
  const timestamp = Number(header('x-slack-request-timestamp'));
  if (header('x-slack-signature') !== sign(secret, timestamp, body)) return;
  // Signed, but not JSON: forms of commands and buttons contain no message.
  const envelope = jsonOf(body.toString('utf8'));
  const team = v.parse(v.fallback(v.optional(teamShape), undefined), envelope);
  const named = team?.context_team_id ?? team?.team_id;
  (cores.find(({ identity }) => identity.teamId === named) ?? cores[0]).learn(envelope);
}

const teamShape = v.object({ context_team_id: v.nullish(v.string()), team_id: v.nullish(v.string()) });

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  page: Page,
  api: Api,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://simulator');
  if (url.pathname.startsWith('/api/')) return serveCall(api, request, response, url);
  if (url.pathname === '/oauth/v2/authorize') return serveAuthorize(api, response, url);
  const { redirectFile: redirect } = api;
  if (isFilePath(url.pathname)) return serveFile(api, request, response, url.pathname, { redirect });
  if (isUploadPath(url.pathname)) return takeUpload(api, request, response, url.pathname);
  if (isHookPath(url.pathname)) return serveHook(api, request, response, url.pathname);
  if (!(await page.serve(request, response, url.pathname))) sendJson(response, 404, { error: 'not_found' });
}

async function closeAll(
  closing: readonly { readonly close: () => Promise<void> }[],
  page: Page,
  journals: readonly Journal[],
): Promise<void> {
  page.close();
  await Promise.all(closing.map((one) => one.close()));
  for (const journal of journals) journal.close();
}

function wordsOf(failure: Failure): string {
  const why = {
    http_timeout: 'it took longer than 3 seconds to acknowledge the message',
    connection_failed: 'nothing answers at its address',
    http_error: 'it answered with an error',
  }[failure.reason];
  if (failure.againInMs === undefined) return `Parley did not take the message: ${why}. Slack gives up.`;
  const when = failure.againInMs === 0 ? 'at once' : `in ${failure.againInMs / 60_000} min`;
  return `Parley did not take the message: ${why}. Slack tries again ${when}.`;
}
