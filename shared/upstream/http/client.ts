import type { Dispatcher } from 'undici';
import {
  type CallOptions,
  DEFAULT_TIMEOUTS,
  type Shape,
  type Time,
  type Timeouts,
  type UpstreamConfig,
} from '../config.ts';
import { AuthError, UpstreamError } from '../errors.ts';
import { errorOf } from './error-of.ts';
import { rateLimitOf } from './rate-headers.ts';
import { next, type RetryDecision, RetryBudget } from './retry.ts';
import { type Answer, createAgent, type Outgoing, readText, send } from './transport.ts';
import { Watch } from './watch.ts';

/** An error body is a sentence or two; a proxy's page is somewhat more. */
const MAX_ERROR_BYTES = 64 * 1024;

/** What all calls of one upstream share. */
export type Client = {
  readonly baseUrl: URL;
  readonly visionUrl: URL | undefined;
  readonly apiKey: UpstreamConfig['apiKey'];
  readonly shape: Shape;
  readonly time: Time;
  readonly random: () => number;
  readonly timeouts: Timeouts;
  readonly agent: Dispatcher;
  readonly budget: RetryBudget;
};

/** Throws a TypeError for an address that is none. */
export function createClient(config: UpstreamConfig): Client {
  const timeouts = { ...DEFAULT_TIMEOUTS, ...config.timeouts };
  return {
    baseUrl: addressOf(config.baseUrl),
    visionUrl: config.visionUrl ? addressOf(config.visionUrl) : undefined,
    apiKey: config.apiKey,
    shape: config.shape ?? 'current',
    time: config.time,
    random: config.random,
    timeouts,
    agent: config.agent ?? createAgent(timeouts.connect),
    budget: new RetryBudget(),
  };
}

/** The address without a trailing slash or version prefix, as paths bring their own (`/v1/…`, `/v2/…`). */
function addressOf(text: string): URL {
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new TypeError(`Not an HTTP address: ${url.protocol}`);
  url.pathname = url.pathname.replace(/\/+$/u, '').replace(/\/v1$/u, '');
  url.search = '';
  url.hash = '';
  return url;
}

/** The address of an endpoint; `path` begins with its version prefix. */
export function endpoint(base: URL, path: string): URL {
  const url = new URL(base);
  url.pathname = `${base.pathname.replace(/\/+$/u, '')}${path}`;
  return url;
}

/** One request of a call. */
export type Attempt = {
  /** From 1. */
  readonly number: number;
  readonly model: string;
  readonly key: string;
  /** Ends the attempt; whoever reads the answer to its end calls `watch.end()`. */
  readonly watch: Watch;
};

/**
 * Makes attempts until one succeeds or the policy gives up (see `retry.ts`). `one` sends exactly one request and must
 * reject before it has handed any of the answer on. When it resolves, the attempt's watch is still running.
 * `repeatable` says whether an answer that breaks off may be asked for again.
 */
export async function attempts<T>(
  client: Client,
  options: CallOptions & { readonly repeatable: boolean },
  models: readonly string[],
  one: (attempt: Attempt) => Promise<T>,
): Promise<T> {
  const { time } = client;
  let retries = 0;
  let refresh: 'no' | 'now' | 'done' = 'no';
  let at = 0;
  client.budget.earn();
  for (let number = 1; ; number += 1) {
    const watch = new Watch(time, options);
    const model = models[at] ?? '';
    const named = model === '' ? undefined : model;
    try {
      if (watch.signal.aborted) throw watch.signal.reason;
      await watch.race(options.beforeAttempt?.(number, watch.signal, named) ?? Promise.resolve());
      const key = await keyFor(options.apiKey ?? client.apiKey, watch, refresh === 'now');
      if (refresh === 'now') refresh = 'done';
      const answer = await one({ number, model, key, watch });
      options.onAttempt?.({ model: named });
      return answer;
    } catch (error) {
      watch.end();
      if (!(error instanceof UpstreamError)) throw error;
      options.onAttempt?.({ model: named, error });
      const decision = next(error, {
        retries,
        refreshed: refresh !== 'no',
        moreModels: at + 1 < models.length,
        random: client.random(),
        now: time.now(),
        deadline: options.deadline,
        maxWaitMs: options.maxWaitMs,
        repeatable: options.repeatable,
        callerWaits: options.waitsForLimits === 'caller' && options.beforeAttempt !== undefined,
      });
      if (!mayGoOn(decision, error, client.budget)) throw error;
      if (decision.kind === 'fresh-key') refresh = 'now';
      at = decision.kind === 'next-model' ? at + 1 : decision.kind === 'fresh-key' ? at : 0;
      if (decision.kind !== 'wait') continue;
      retries += 1;
      await time.sleep(decision.ms, options.signal);
    }
  }
}

function mayGoOn(decision: RetryDecision, error: UpstreamError, budget: RetryBudget): boolean {
  if (decision.kind === 'give-up') return false;
  const trouble = decision.kind === 'wait' && error.kind !== 'rate-limited' && error.kind !== 'at-capacity';
  return !trouble || budget.spend();
}

async function keyFor(apiKey: Client['apiKey'], watch: Watch, refresh: boolean): Promise<string> {
  if (watch.signal.aborted) throw watch.signal.reason;
  const key = await watch.race(refresh ? apiKey({ refresh: true }) : apiKey());
  if (/[^\x21-\x7e]/u.test(key)) {
    throw new AuthError('The API key holds characters that no header can carry.', { code: 'invalid_key' });
  }
  return key;
}

/** How an endpoint wants the key. */
export type Credential = 'bearer' | 'x-api-key' | 'both';

/** No header at all for an empty key: servers on one's own machine want none. */
export function credentials(key: string, how: Credential): Record<string, string> {
  if (key === '') return {};
  return {
    ...(how === 'x-api-key' ? {} : { authorization: `Bearer ${key}` }),
    ...(how === 'bearer' ? {} : { 'x-api-key': key }),
  };
}

/** Sends the attempt's request; an answer other than 2xx becomes the error that it means. */
export async function exchange(
  client: Client,
  attempt: Attempt,
  request: Outgoing,
  options: CallOptions & { readonly chat?: boolean },
): Promise<Answer> {
  const { watch, key, model } = attempt;
  const answer = await send(client.agent, request, watch);
  watch.lift('first_byte');
  const { status, headers } = answer;
  const now = client.time.now();
  const ok = status >= 200 && status < 300;
  if (ok) {
    report(options, model, rateLimitOf(status, headers, now));
    return answer;
  }
  watch.limit('total', client.timeouts.call);
  const body = await readText(answer, MAX_ERROR_BYTES, watch).catch((error: unknown) => {
    if (watch.signal.aborted && options.signal?.aborted === true) throw error;
    return '';
  });
  const error = errorOf({ status, headers, body, key, now, chat: options.chat ?? false });
  const seen = rateLimitOf(status, headers, now);
  report(options, model, seen === undefined ? undefined : { ...seen, code: error.code });
  throw error;
}

function report(
  options: CallOptions,
  model: string,
  seen: Parameters<NonNullable<CallOptions['onRateLimit']>>[0] | undefined,
): void {
  if (seen !== undefined) options.onRateLimit?.(model === '' ? seen : { ...seen, model });
}
