import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { createControl } from './control.ts';
import type { Control } from './control.ts';
import { controlled } from './control-http.ts';
import { createUpstreamCore } from './core.ts';
import type { UpstreamCore } from './core.ts';
import { createCourier, postWebhook } from './deliver.ts';
import type { Post } from './deliver.ts';
import { jsonAnswer } from './exchange.ts';
import type { SimAnswer } from './exchange.ts';
import type { Entry } from './journal.ts';
import { playSteps } from './play-steps.ts';
import type { Sleep } from './play-steps.ts';
import type { CoreOptions } from './settings.ts';
import { DEFAULT_KEY } from './state.ts';
import type { Metered } from './state.ts';

export type UpstreamSimulatorOptions = CoreOptions & {
  /** 0, the default, takes any free port. */
  readonly port?: number | undefined;
  readonly host?: string | undefined;
  readonly sleep?: Sleep | undefined;
  /** Sends a webhook. */
  readonly post?: Post | undefined;
};

export type UpstreamSimulator = {
  /** Without `/v1`. */
  readonly baseUrl: string;
  readonly visionUrl: string;
  readonly apiKey: string;
  /** The requests since the start or the last reset. */
  readonly journal: readonly Entry[];
  /** What the service would bill. */
  readonly meter: readonly Metered[];
  readonly control: Control;
  readonly core: UpstreamCore;
  /** Removes everything: faults, keys, counters, jobs. */
  reset(): void;
  /** Sends due webhooks; resolves when they have a response. */
  deliverWebhooks(): Promise<void>;
  /** Breaks open connections and stops. */
  close(): Promise<void>;
};

/** Larger requests get a 413. They include recordings and pictures. */
const MAX_BODY = 64 * 1024 * 1024;

/** People see the answer grow. */
const LOCAL_PACE_MS = 15;

/** Starts the upstream on this machine. `paceMs` is 15 by default, so that answers stream visibly. */
export async function startUpstreamSimulator(
  options: UpstreamSimulatorOptions = {},
): Promise<UpstreamSimulator> {
  const { port = 0, host = '127.0.0.1', apiKey = DEFAULT_KEY } = options;
  const sleep: Sleep = options.sleep ?? ((ms, signal) => wait(ms, undefined, { signal }));
  const make = (): UpstreamCore =>
    createUpstreamCore({ ...options, paceMs: options.paceMs ?? LOCAL_PACE_MS, apiKey });
  let core = make();
  const courier = createCourier(
    () => core.state,
    options.clock === undefined ? sleep : undefined,
    options.post ?? postWebhook,
  );
  const control = createControl(
    () => core,
    () => courier.poke(),
  );
  const server = createServer((request, response) => {
    answer(request)
      .then(async ({ answer: sent, entry }) => playSteps(sent, entry, response, sleep))
      .catch(() => response.destroy());
  });
  const answer = async (request: IncomingMessage): Promise<{ answer: SimAnswer; entry: Entry }> => {
    const body = await read(request);
    const path = request.url ?? '/';
    const method = request.method ?? 'GET';
    if (body === undefined) return apart(jsonAnswer(413, { error: { message: 'The body is too large.' } }));
    if (path.startsWith('/__sim/')) {
      if (!isLocal(request))
        return apart(jsonAnswer(403, { error: 'The control interface answers this machine alone.' }));
      return apart(
        path === '/__sim/reset' ? resetAnswer() : controlled(control, method, path, body.toString()),
      );
    }
    const handled = core.handle({ method, path, headers: single(request), body });
    if (path.startsWith('/v2/')) courier.poke();
    return handled;
  };
  const reset = (): void => {
    core = make();
  };
  const resetAnswer = (): SimAnswer => {
    reset();
    return jsonAnswer(200, { ok: true });
  };
  const url = await listen(server, port, host);
  return {
    baseUrl: url,
    visionUrl: url,
    apiKey,
    get journal() {
      return core.state.journal.entries;
    },
    get meter() {
      return core.state.metered;
    },
    control,
    get core() {
      return core;
    },
    reset,
    deliverWebhooks: async () => courier.flush(),
    close: async () => {
      courier.stop();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Responses that the journal omits. */
function apart(answer: SimAnswer): { answer: SimAnswer; entry: Entry } {
  const entry = { at: 0, method: '', path: '', headers: {}, body: undefined, status: answer.status };
  return { answer, entry: { ...entry, n: 0, code: undefined, faults: [], ended: 'open' } };
}

async function listen(server: Server, port: number, host: string): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The simulator has no port.');
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}

/** The body, up to the limit; undefined above it, or when the client disconnected. */
async function read(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of request) {
      if (!Buffer.isBuffer(part)) return undefined;
      size += part.length;
      if (size <= MAX_BODY) parts.push(part);
    }
  } catch {
    return undefined;
  }
  return size <= MAX_BODY ? Buffer.concat(parts) : undefined;
}

function single({ headers }: IncomingMessage): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
}

/** From this machine, and by its address: a page elsewhere cannot use it by a DNS name that points here. */
function isLocal(request: IncomingMessage): boolean {
  const from = request.socket.remoteAddress ?? '';
  const name = (request.headers.host ?? '').replace(/:\d+$/u, '');
  return /^(?:::1|(?:::ffff:)?127\.)/u.test(from) && /^(?:localhost|127\.[\d.]+|\[::1\])$/u.test(name);
}
