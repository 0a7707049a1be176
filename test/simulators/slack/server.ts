import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type SeenCall, serveCall } from './api.ts';
import { createDelivery, type Delivery, type Failure, sign } from './delivery.ts';
import { createFaults, type Faults } from './faults.ts';
import { sendJson } from './http.ts';
import type { Person } from './identity.ts';
import { type Journal, openJournal } from './journal.ts';
import { createPage, type Page } from './page.ts';
import { type After, realAfter } from './timers.ts';
import { createWorkspace, type Workspace, type WorkspaceOptions } from './workspace.ts';

export type SlackSimulatorOptions = Omit<WorkspaceOptions, 'past'> & {
  /** 0, the default, takes any free port. */
  readonly port?: number;
  /** 127.0.0.1 unless told. */
  readonly host?: string;
  /** Where events are posted; without it they wait for `setDeliverTo`. */
  readonly deliverTo?: string;
  readonly signingSecret?: string;
  readonly botToken?: string;
  /** Keeps messages, and events not yet taken, across restarts. */
  readonly file?: string;
  /** Real time unless told: the 3 s limit, retries and delays hang on it. */
  readonly after?: After;
  /** How often each event is delivered; 1 unless told. */
  readonly copies?: number;
  readonly onFailure?: (failure: Failure) => void;
};

/** A Slack on this machine: Web API, signed events, and a page to look at. */
export type SlackSimulator = {
  /** The page. */
  readonly url: string;
  /** For `slackApiUrl` of Slack's clients. */
  readonly apiUrl: string;
  readonly signingSecret: string;
  readonly botToken: string;
  readonly botUserId: string;
  readonly teamId: string;
  /** The id of `general`. */
  readonly channel: string;
  readonly users: readonly Person[];
  readonly core: Workspace;
  readonly delivery: Pick<Delivery, 'hold' | 'release' | 'idle'>;
  readonly faults: Faults;
  /** The last calls of the Web API, oldest first, at most 10,000. */
  readonly calls: readonly SeenCall[];
  /** A person posts, by id or name. Resolves with the message's ts. */
  say(user: string, text: string, where?: { channel?: string; thread?: string }): Promise<string>;
  setDeliverTo(url: string | undefined): void;
  /** Takes over the message of an event that someone else posts to the app, if it is signed as Slack signs. */
  witness(header: (name: string) => string | undefined, body: Buffer): void;
  /** No messages, no faults, no calls. */
  reset(): void;
  close(): Promise<void>;
};

const CALLS_KEPT = 10_000;

/** Starts the simulator. Rejects when the port is taken. */
export async function startSlackSimulator(options: SlackSimulatorOptions = {}): Promise<SlackSimulator> {
  const now = options.clock ?? Date.now;
  const after = options.after ?? realAfter;
  const signingSecret = options.signingSecret ?? randomBytes(16).toString('hex');
  const botToken =
    options.botToken ?? options.identity?.botToken ?? `xoxb-simulated-${randomBytes(12).toString('hex')}`;
  const journal = options.file === undefined ? undefined : openJournal(options.file);
  const core = createWorkspace({
    ...options,
    identity: { ...options.identity, botToken },
    ...(journal ? { past: journal.past } : {}),
  });
  const page = createPage(core);
  const faults = createFaults();
  const calls: SeenCall[] = [];
  const delivery = createDelivery({
    signingSecret,
    now,
    after,
    copies: options.copies ?? 1,
    onSettled: (id) => journal?.settled(id),
    onFailure: (failure) => {
      page.notice(words(failure));
      options.onFailure?.(failure);
    },
  });
  core.onEvent((envelope) => {
    journal?.emitted(envelope);
    delivery.send(envelope);
  });
  if (journal) core.onChange((change) => journal.changed(change));
  const seen = (call: SeenCall): void => {
    if (calls.push(call) > CALLS_KEPT) calls.shift();
  };
  const api = { workspace: core, now, after, faults, seen };
  const server = createServer((request, response) => {
    serve(request, response, page, api).catch(() => {
      if (!response.headersSent) sendJson(response, 500, { ok: false, error: 'internal_error' });
      response.destroy();
    });
  });
  const url = await listen(server, options.port ?? 0, options.host ?? '127.0.0.1');
  for (const envelope of journal?.pending ?? []) delivery.send(envelope);
  delivery.setTarget(options.deliverTo);
  let closing: Promise<void> | undefined;
  return {
    url,
    apiUrl: `${url}/api/`,
    signingSecret,
    botToken,
    botUserId: core.identity.botUserId,
    teamId: core.identity.teamId,
    channel: core.channel,
    users: core.identity.users,
    core,
    delivery,
    faults,
    calls,
    async say(user, text, where) {
      const person = core.identity.users.find((one) => one.name === user.toLowerCase());
      return core.say(person?.id ?? user, text, where);
    },
    setDeliverTo: (to) => delivery.setTarget(to),
    witness: (header, body) => witness(core, signingSecret, header, body),
    reset() {
      core.reset();
      journal?.clear();
      faults.clear();
      calls.splice(0);
      page.refresh();
    },
    close: () => (closing ??= close(server, page, delivery, journal)),
  };
}

function witness(
  core: Workspace,
  secret: string,
  header: (name: string) => string | undefined,
  body: Buffer,
): void {
  const timestamp = Number(header('x-slack-request-timestamp'));
  if (header('x-slack-signature') !== sign(secret, timestamp, body)) return;
  try {
    core.learn(JSON.parse(body.toString('utf8')));
  } catch {
    // Signed, but no JSON: forms of commands and buttons tell of no message.
  }
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  page: Page,
  api: Parameters<typeof serveCall>[0],
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://simulator');
  if (url.pathname.startsWith('/api/')) return serveCall(api, request, response, url);
  if (!(await page.serve(request, response, url.pathname))) sendJson(response, 404, { error: 'not_found' });
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

function words(failure: Failure): string {
  const why = {
    http_timeout: 'it took longer than 3 seconds to acknowledge the message',
    connection_failed: 'nothing answers at its address',
    http_error: 'it answered with an error',
  }[failure.reason];
  if (failure.againInMs === undefined) return `Parley did not take the message: ${why}. Slack gives up.`;
  const when = failure.againInMs === 0 ? 'at once' : `in ${failure.againInMs / 60_000} min`;
  return `Parley did not take the message: ${why}. Slack tries again ${when}.`;
}
