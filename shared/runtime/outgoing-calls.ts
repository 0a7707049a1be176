import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { Log } from './log.ts';

/** Who is called. `other`: MCP servers, searched pages; their names may come from people, so they are not logged. */
export type CalledService = 'slack' | 'discord' | 'models' | 'other';

/** The services by the addresses of the configuration. Slack's and Discord's own hosts are known. */
export type ServiceUrls = Readonly<Partial<Record<Exclude<CalledService, 'other'>, readonly string[]>>>;

type Call = {
  readonly service: CalledService;
  readonly name: string;
  readonly startMs: number;
  ms: number;
  /** 0 without a response. */
  status: number;
  waitMs: number;
  /** The error code of a refusal that has the status 200, as Slack's have. */
  error?: string;
};

/** How many calls of one kind are listed with their own times; the others of this kind are added up. */
const LISTED_PER_KIND = 2;
/** A line of a log has at most 256 KB; a task with many tools must not come near it. */
const MAX_ITEMS = 30;
const MAX_CALLS = 2_000;

/** Words of the paths of Slack, Discord and the models. Any other part of a path may be an id, a token or text, and is not logged. */
const WORDS = new Set(
  '@me @original actions applications attachments audio bulk-delete callback channels chat commands completions download embeddings files files-pri generations guilds images inference interactions members messages models reactions refresh-urls requests responses roles search speech threads transcription_or_translation transcriptions typing upload users videos webhooks'.split(
    ' ',
  ),
);
const WEB_API_METHOD = /^\/api\/([a-z]+(?:\.[a-zA-Z]+)+)$/u;
const OWN_HOSTS: readonly (readonly [RegExp, CalledService])[] = [
  [/(?:^|\.)slack(?:-files)?\.com$/u, 'slack'],
  [/(?:^|\.)discord(?:app)?\.(?:com|net)$/u, 'discord'],
];

const current = new AsyncLocalStorage<CallList>();

/**
 * Returns a function that runs work and then logs the HTTP requests that it sent to platforms, models and other servers in one line,
 * `task.requests-sent`: those that `takeCalls` has not returned; no line without any. Each request is an attempt: a repeated call is two. Requests to
 * AWS are not among them. The line has methods, numbers and times only: see `formatCalls`. Times are ms since 1970 (`now`).
 */
export function createCallRecorder(
  urls: ServiceUrls,
  log: Log,
  now: () => number,
): <T>(run: () => Promise<T>) => Promise<T> {
  const services = Object.entries(urls).flatMap(([service, list]) =>
    list.flatMap((url) => {
      const origin = URL.parse(url)?.origin;
      return origin === undefined ? [] : [[origin, service] as const];
    }),
  );
  const byOrigin = new Map(services);
  startObserving();
  return async (run) => {
    const calls = new CallList(byOrigin, now);
    try {
      return await current.run(calls, run);
    } finally {
      const text = calls.take('all');
      if (text !== undefined) log('task.requests-sent', { calls: text });
    }
  };
}

/**
 * Returns the completed requests of the current task, for a log line that is written anyway: see `formatCalls`. They are not logged again.
 * Undefined if there are none, or outside of recorded work.
 */
export const takeCalls = (): string | undefined => current.getStore()?.take('completed');

/**
 * Notes the error code of Slack's response to the last request of the current task with this method; its status is 200. `code` must be a code,
 * never text.
 */
export function noteCallError(method: string, code: string): void {
  current.getStore()?.noteError(method, code);
}

/** The requests of one task. */
class CallList {
  readonly #services: ReadonlyMap<string, string>;
  readonly #now: () => number;
  readonly #startMs: number;
  #calls: Call[] = [];
  #count = 0;

  constructor(services: ReadonlyMap<string, string>, now: () => number) {
    this.#services = services;
    this.#now = now;
    this.#startMs = now();
  }

  add(origin: string, method: string, path: string): OpenCall | undefined {
    this.#count += 1;
    if (this.#count > MAX_CALLS) return undefined;
    const service = this.#getService(origin);
    const startMs = this.#now() - this.#startMs;
    const call: Call = {
      service,
      name: getCallName(service, method, path),
      startMs,
      ms: -1,
      status: 0,
      waitMs: 0,
    };
    this.#calls.push(call);
    return {
      responded: (status, waitMs) => Object.assign(call, { status, waitMs }),
      ended: () => {
        if (call.ms < 0) call.ms = this.#now() - this.#startMs - startMs;
      },
    };
  }

  noteError(method: string, code: string): void {
    const call = this.#calls.findLast(({ name }) => name === method);
    if (call) call.error = code;
  }

  /** Returns the calls that were not yet taken. Among all, those that are still open count until now. */
  take(which: 'completed' | 'all'): string | undefined {
    const ms = this.#now() - this.#startMs;
    const chosen = which === 'all' ? this.#calls : this.#calls.filter((call) => call.ms >= 0);
    this.#calls = this.#calls.filter((call) => !chosen.includes(call));
    if (chosen.length === 0) return undefined;
    return `${ms} ${formatCalls(chosen.map((call) => (call.ms < 0 ? { ...call, ms: ms - call.startMs } : call)))}`;
  }

  #getService(origin: string): CalledService {
    const known = this.#services.get(origin);
    if (known === 'slack' || known === 'discord' || known === 'models') return known;
    const host = URL.parse(origin)?.hostname ?? '';
    return OWN_HOSTS.find(([pattern]) => pattern.test(host))?.[1] ?? 'other';
  }
}

type OpenCall = {
  readonly responded: (status: number, waitMs: number) => void;
  readonly ended: () => void;
};

/** The method of Slack's Web API, or the HTTP method and the words of the path; without ids, tokens and the query. */
function getCallName(service: CalledService, method: string, pathAndQuery: string): string {
  const path = pathAndQuery.split('?')[0] ?? '';
  const webApiMethod = service === 'slack' ? WEB_API_METHOD.exec(path)?.[1] : undefined;
  if (webApiMethod !== undefined) return webApiMethod;
  if (service === 'other') return method;
  const parts = path.split('/').filter((part) => part !== '' && part !== 'api' && !/^v\d+$/u.test(part));
  const words = parts.map((part) => (WORDS.has(part) ? part : '*'));
  return [method, ...words.filter((word, index) => word !== '*' || words[index - 1] !== '*')].join('/');
}

/**
 * Formats calls: `slack:chat.startStream@120+80=200`, which is the service, the method, the start since that of the task, the time and the
 * status (0 without a response, `200!not_in_channel` for a refusal of Slack); for several of a kind `x3`, then their times are added up;
 * `~5000` for the wait that a 429 asked for. All times are in ms. `...` if there are more kinds than are listed. In logs the time since the
 * start of the task is before them.
 */
function formatCalls(calls: readonly Call[]): string {
  const items: { readonly call: Call; count: number }[] = [];
  const kinds = new Map<string, typeof items>();
  let isCut = false;
  for (const call of calls) {
    const kind = `${call.service}:${call.name}=${call.status}${call.error ?? ''}`;
    const listed = kinds.get(kind) ?? [];
    const sum = listed[LISTED_PER_KIND];
    if (sum) {
      sum.count += 1;
      sum.call.ms += call.ms;
      sum.call.waitMs += call.waitMs;
    } else if (items.length < MAX_ITEMS) {
      const item = { call: { ...call }, count: 1 };
      items.push(item);
      kinds.set(kind, [...listed, item]);
    } else isCut = true;
  }
  const texts = items.map(({ call, count }) => {
    const { service, name, startMs, ms, status, waitMs, error } = call;
    const outcome = error === undefined ? status : `${status}!${error}`;
    return `${service}:${name}@${startMs}+${ms}=${outcome}${count > 1 ? `x${count}` : ''}${waitMs > 0 ? `~${waitMs}` : ''}`;
  });
  return [...texts, ...(isCut ? ['...'] : [])].join(' ');
}

let isObserving = false;

/**
 * Observes the requests of `fetch` and undici in this process by Node's diagnostics channels, as OpenTelemetry does: so each is seen, also
 * those of libraries. Requests outside of recorded work cost a look-up.
 */
function startObserving(): void {
  if (isObserving) return;
  isObserving = true;
  const open = new WeakMap<object, OpenCall>();
  observe('create', (request) => {
    const call = current
      .getStore()
      ?.add(readText(request, 'origin'), readText(request, 'method'), readText(request, 'path'));
    if (call) open.set(request, call);
  });
  observe('headers', (request, message) => {
    const response = readObject(message, 'response');
    const status: unknown = response && Reflect.get(response, 'statusCode');
    if (typeof status === 'number')
      open.get(request)?.responded(status, status === 429 ? getWaitMs(response) : 0);
  });
  observe('trailers', (request) => open.get(request)?.ended());
  observe('error', (request) => open.get(request)?.ended());
}

function observe(channel: string, act: (request: object, message: unknown) => void): void {
  subscribe(`undici:request:${channel}`, (message) => {
    const request = readObject(message, 'request');
    if (request) act(request, message);
  });
}

/** The wait of `retry-after` in ms, 0 without one. The headers are names and values in turn, as bytes. */
function getWaitMs(response: object | undefined): number {
  const headers: unknown = response && Reflect.get(response, 'headers');
  if (!Array.isArray(headers)) return 0;
  const texts = headers.map(String);
  const index = texts.findIndex((text, at) => at % 2 === 0 && text.toLowerCase() === 'retry-after');
  const seconds = Number(index < 0 ? Number.NaN : texts[index + 1]);
  return Number.isFinite(seconds) ? Math.round(seconds * 1_000) : 0;
}

function readObject(of: unknown, name: string): object | undefined {
  const value: unknown = typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined;
  return typeof value === 'object' && value !== null ? value : undefined;
}

function readText(of: object, name: string): string {
  const value: unknown = Reflect.get(of, name);
  return typeof value === 'string' || value instanceof URL ? String(value) : '';
}
