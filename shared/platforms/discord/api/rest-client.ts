import type { InternalRequest, REST } from '@discordjs/rest';
import { DiscordApiError, type DiscordCall, DiscordRateLimitError, type DiscordRequest } from './call.ts';
import { boundedFetch, type BoundedFetchConfig } from './bounded-fetch.ts';
import { errorName } from '../../../utils/index.ts';

export type RestCallConfig = BoundedFetchConfig & {
  /** For example `https://discord.com/api`. A version at the end is ignored. */
  readonly apiUrl: string;
  /** The bot token. Requested before each request that needs it, and once more with `refresh` after a 401. */
  readonly token: (options?: { readonly refresh: boolean }) => Promise<string>;
  readonly applicationId: string;
  /** ms since 1970. */
  readonly now: () => number;
  /** Total time of one request in ms: waiting for its bucket, connecting, sending and reading. Default 10,000; 60,000 with files. */
  readonly timeoutMs?: number;
};

const REQUEST_TIMEOUT_MS = 10_000;
const UPLOAD_TIMEOUT_MS = 60_000;
/** Discord allows a bot 50 requests per second over all processes. One process leaves a share to the others. */
const MAX_REQUESTS_PER_SECOND = 40;
/** Discord blocks an address after 10,000 invalid requests in 10 minutes. Lambda functions of others share the address. */
const MAX_INVALID_REQUESTS = 500;
/** Each interaction token has a rate limit handler of its own. Tokens expire after 15 minutes, handlers must not collect for longer. */
const HANDLER_SWEEP_INTERVAL_MS = 5 * 60_000;

const METHODS = { GET: 'get', POST: 'post', PATCH: 'patch', PUT: 'put', DELETE: 'delete' } as const;

/**
 * Loads `@discordjs/rest`. It takes about 30 ms and 2.4 MB, so a worker that serves Slack alone never loads it.
 * Called early, it saves the first request that time.
 */
export const loadRestPackage = () => import('@discordjs/rest');

type Package = Awaited<ReturnType<typeof loadRestPackage>>;
type Clients = { readonly library: Package; readonly bot: REST; readonly interaction: REST };

/**
 * Sends requests to Discord's REST API with `@discordjs/rest`, which keeps the rate limits of this process. One call is one
 * request: nothing is repeated here except after a 401, because only the caller knows whether a repetition creates a second message.
 */
export function createRestCall(config: RestCallConfig): DiscordCall {
  const pause = new Pause(config.now);
  let loading: Promise<Clients> | undefined;
  return async (request) => {
    loading ??= loadRestPackage().then((library) => createClients(library, config, pause));
    const clients = await loading;
    pause.check();
    if (request.byInteractionToken) return sendRequest(clients, clients.interaction, request, config);
    const token = await config.token();
    const send = (current: string): Promise<unknown> => {
      // After a 401 the package forgets the token, so each request sets it.
      clients.bot.setToken(current);
      return sendRequest(clients, clients.bot, request, config);
    };
    try {
      return await send(token);
    } catch (error) {
      if (!(error instanceof DiscordApiError) || error.status !== 401) throw error;
      const fresh = await config.token({ refresh: true });
      if (fresh === token) throw error;
      return send(fresh);
    }
  };
}

/** Stops all requests of the process for some time: neither the bot nor its interaction tokens may send any. */
class Pause {
  readonly #now: () => number;
  #until = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  start(ms: number): void {
    this.#until = Math.max(this.#until, this.#now() + ms);
  }

  /** Throws DiscordRateLimitError during a pause. */
  check(): void {
    const ms = this.#until - this.#now();
    if (ms > 0) throw new DiscordRateLimitError(Math.ceil(ms));
  }
}

/** Two clients: requests with an interaction token are not under the bot's global limit and must not carry its token. */
function createClients(library: Package, config: RestCallConfig, pause: Pause): Clients {
  const create = (globalRequestsPerSecond: number): REST => {
    const rest = new library.REST({
      version: '10',
      api: config.apiUrl.replace(/(\/v\d+)?\/*$/, ''),
      userAgentAppendix: `Parley/${config.applicationId}`,
      retries: 0,
      // A task returns to the queue instead of waiting in a worker that is paid for.
      rejectOnRateLimit: () => true,
      globalRequestsPerSecond,
      invalidRequestWarningInterval: MAX_INVALID_REQUESTS,
      handlerSweepInterval: HANDLER_SWEEP_INTERVAL_MS,
      // Each request has an earlier deadline of its own, which also covers waiting and reading.
      timeout: UPLOAD_TIMEOUT_MS,
      makeRequest: boundedFetch(config, (ms) => pause.start(ms)),
    });
    // The package counts 401, 403 and 429 over all clients of the process, but only reports them.
    rest.on(library.RESTEvents.InvalidRequestWarning, ({ remainingTime }) => pause.start(remainingTime));
    return rest;
  };
  return { library, bot: create(MAX_REQUESTS_PER_SECOND), interaction: create(Number.POSITIVE_INFINITY) };
}

async function sendRequest(
  { library }: Clients,
  rest: REST,
  request: DiscordRequest,
  { timeoutMs = request.files ? UPLOAD_TIMEOUT_MS : REQUEST_TIMEOUT_MS }: RestCallConfig,
): Promise<unknown> {
  const [route = '', query] = request.path.split('?');
  try {
    const content = await rest[METHODS[request.method]](`/${route.slice(1)}`, {
      ...toRequestOptions(request),
      // The package groups requests by path: a query in it would look like a route of its own.
      ...(query === undefined ? {} : { query: new URLSearchParams(query) }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    // The package returns bytes for anything that is not JSON, such as 204.
    return content instanceof ArrayBuffer ? undefined : content;
  } catch (error) {
    throw withoutToken(error, library);
  }
}

function toRequestOptions({ body, files, byInteractionToken }: DiscordRequest): Partial<InternalRequest> {
  return {
    auth: byInteractionToken !== true,
    ...(files
      ? {
          body: body ?? {},
          files: files.map(({ name, type, content }) => ({ name, contentType: type, data: content })),
        }
      : body && { body }),
  };
}

/** Errors of the package hold the URL, with the interaction token in it, and the request body. None of that may reach a log. */
function withoutToken(error: unknown, { DiscordAPIError, HTTPError, RateLimitError }: Package): Error {
  if (error instanceof DiscordRateLimitError) return error;
  if (error instanceof RateLimitError) return new DiscordRateLimitError(Math.ceil(error.retryAfter));
  if (error instanceof DiscordAPIError) return new DiscordApiError(error.status, Number(error.code) || 0);
  if (error instanceof HTTPError) return new Error(`no usable answer from Discord: status ${error.status}`);
  return new Error(`no answer from Discord: ${errorName(error)}`);
}
