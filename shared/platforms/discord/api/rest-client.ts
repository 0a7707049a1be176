import { DiscordRateLimited, type DiscordCall, DiscordApiError, type DiscordRequest } from './call.ts';
import { numberAt } from '../inbound/json-path.ts';
import { RouteRateLimits, routeOf } from './rate-limits.ts';

export type RestCallConfig = {
  /** Such as `https://discord.com/api`; its version may stand behind it. */
  readonly apiUrl: string;
  /** The bot's token. Asked for before a call that needs it, and once more with `refresh` when Discord does not take it. */
  readonly token: (options?: { readonly refresh: boolean }) => Promise<string>;
  readonly applicationId: string;
  readonly now: () => number;
  readonly random: () => number;
  /** Told that Discord refused a request for its limits. */
  readonly onLimited?: (() => void) | undefined;
  /** How long one request may take, in ms. Default 10,000; 60,000 with files. */
  readonly timeoutMs?: number;
};

const TIMEOUT_MS = 10_000;
const UPLOAD_MS = 60_000;
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;
/** For a 429 that does not say how long: Cloudflare's is a page of HTML. */
const UNTOLD = { leastMs: 5_000, spreadMs: 10_000 } as const;

type Answered = { readonly status: number; readonly headers: Headers; readonly content: unknown };

/**
 * Calls Discord's REST API; one call is one request. Not by discord.js's own client: that one repeats a 5xx at once and
 * unasked, so that nobody could tell whether a message was posted twice; it sleeps through limits, where a task belongs back
 * on the queue; it knows no limits but those of its own process either; and it is forty times as large.
 */
export function createRestCall(config: RestCallConfig): DiscordCall {
  const { token, now, random } = config;
  const limits = new RouteRateLimits(now);
  return async (request) => {
    const route = routeOf(request.method, request.path);
    const wait = limits.take(route, request.ticket === true);
    if (wait > 0) throw new DiscordRateLimited(wait);
    const current = request.ticket ? undefined : await token();
    let answer = await send(request, current, config);
    if (answer.status === 401 && current !== undefined) {
      const fresh = await token({ refresh: true });
      if (fresh !== current) answer = await send(request, fresh, config);
    }
    return judge(answer, { route, limits, random, onLimited: config.onLimited });
  };
}

type Judging = Pick<RestCallConfig, 'random' | 'onLimited'> & {
  readonly route: string;
  readonly limits: RouteRateLimits;
};

function judge(
  { status, headers, content }: Answered,
  { route, limits, random, onLimited }: Judging,
): unknown {
  const remaining = number(headers, 'x-ratelimit-remaining');
  const reset = number(headers, 'x-ratelimit-reset-after');
  if (remaining !== undefined && reset !== undefined)
    limits.note(route, { remaining, resetAfterMs: reset * 1000 });
  const scope = headers.get('x-ratelimit-scope');
  if (status === 401 || status === 403 || (status === 429 && scope !== 'shared')) limits.invalid();
  if (status >= 200 && status < 300) return content;
  if (status === 429) {
    onLimited?.();
    const seconds = numberAt(content, 'retry_after') ?? number(headers, 'retry-after');
    const ms = seconds === undefined ? UNTOLD.leastMs + random() * UNTOLD.spreadMs : seconds * 1000;
    // Without a scope it is not the API that answers, but what stands before it: that shuts out all requests.
    if (scope === null) limits.holdAll(ms);
    if (scope === 'global') limits.holdBot(ms);
    throw new DiscordRateLimited(Math.ceil(ms));
  }
  if (status >= 400 && status < 500) throw new DiscordApiError(status, numberAt(content, 'code') ?? 0);
  throw new Error(`no usable answer from Discord: status ${status}`);
}

async function send(
  request: DiscordRequest,
  token: string | undefined,
  config: RestCallConfig,
): Promise<Answered> {
  const { method, path, files } = request;
  const signal = AbortSignal.timeout(config.timeoutMs ?? (files ? UPLOAD_MS : TIMEOUT_MS));
  try {
    const response = await fetch(`${addressOf(config.apiUrl)}${path}`, {
      method,
      headers: headersOf(request, token, config.applicationId),
      body: bodyOf(request),
      redirect: 'error',
      signal,
    });
    return { status: response.status, headers: response.headers, content: await read(response) };
  } catch (error) {
    // Not the error itself: its text may hold the address, and that a ticket.
    // oxlint-disable-next-line preserve-caught-error
    throw new Error(`no answer from Discord: ${error instanceof Error ? error.name : 'unknown'}`);
  }
}

/** The version that this speaks. */
const addressOf = (apiUrl: string): string => `${apiUrl.replace(/\/+$/, '').replace(/\/v\d+$/, '')}/v10`;

function headersOf(
  { body, files }: DiscordRequest,
  token: string | undefined,
  id: string,
): Record<string, string> {
  return {
    accept: 'application/json',
    // Without a name of this form Cloudflare may refuse. See docs:reference#user-agent.
    'user-agent': `DiscordBot (https://discord.com/oauth2/authorize?client_id=${id}, 1.0)`,
    ...(token === undefined ? {} : { authorization: `Bot ${token}` }),
    ...(body && !files ? { 'content-type': 'application/json' } : {}),
  };
}

function bodyOf({ body, files }: DiscordRequest): string | FormData | null {
  if (!files) return body ? JSON.stringify(body) : null;
  const form = new FormData();
  form.append('payload_json', JSON.stringify(body ?? {}));
  for (const [index, { name, type, content }] of files.entries()) {
    form.append(`files[${index}]`, new Blob([new Uint8Array(content)], { type }), name);
  }
  return form;
}

/** The body as JSON; undefined for anything else, such as a page of HTML. */
async function read(response: Response): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const stream: AsyncIterable<Uint8Array> | undefined = response.body ?? undefined;
  if (stream) {
    for await (const chunk of stream) {
      size += chunk.byteLength;
      if (size > MAX_ANSWER_BYTES) throw new Error('the answer of Discord is too large');
      chunks.push(chunk);
    }
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

function number(headers: Headers, name: string): number | undefined {
  const value = Number(headers.get(name) ?? Number.NaN);
  return Number.isFinite(value) ? value : undefined;
}
