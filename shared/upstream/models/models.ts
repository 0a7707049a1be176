import type { CallOptions } from '../config.ts';
import { MalformedAnswerError } from '../errors.ts';
import { requestJson } from '../http/request-json.ts';
import type { Client } from '../http/client.ts';
import { getEndpointUrl } from '../http/endpoint-url.ts';
import { AttemptTimeouts } from '../http/attempt-timeouts.ts';
import { type Model, parseModels } from './model.ts';

/** The list changes rarely, and the endpoint allows 300 requests a minute. */
const CACHE_TTL_MS = 10 * 60_000;
const MAX_BYTES = 4 * 1024 * 1024;

export type ModelList = {
  readonly models: readonly Model[];
  /** When it was fetched, ms since 1970. */
  readonly fetchedAt: number;
};

export type Models = {
  /** Returns the key's models, at most `maxAgeMs` old (default: 10 minutes). Concurrent calls share one request. */
  readonly list: (options?: CallOptions & { readonly maxAgeMs?: number | undefined }) => Promise<ModelList>;
  /** Returns a model by id; undefined when the list does not have it. */
  readonly get: (id: string, options?: CallOptions) => Promise<Model | undefined>;
  /** Clears the cache. After a 404 for a model the list is out of date. */
  readonly clearCache: () => void;
};

export function createModels(client: Client): Models {
  let cached: ModelList | undefined;
  let pending: Promise<ModelList> | undefined;

  const fetchList = async (options: CallOptions): Promise<ModelList> => {
    // Concurrent callers share this request: none of them may abort or extend it.
    const { beforeAttempt, onRateLimit } = options;
    const sharedOptions = {
      beforeAttempt,
      onRateLimit,
      deadline: client.time.now() + 2 * client.timeouts.call,
    };
    const url = getEndpointUrl(client.baseUrl, '/v1/models');
    const request = {
      service: 'models',
      method: 'GET',
      url,
      credential: 'bearer',
      timeoutMs: client.timeouts.call,
      maxBytes: MAX_BYTES,
      repeatable: true,
    } as const;
    const { value, requestId } = await requestJson(client, request, sharedOptions);
    const models = parseModels(value);
    if (models === undefined)
      throw new MalformedAnswerError('The response is not a list of models.', {
        code: 'bad_json',
        requestId,
      });
    cached = { models, fetchedAt: client.time.now() };
    return cached;
  };

  const list: Models['list'] = async ({ maxAgeMs = CACHE_TTL_MS, ...options } = {}) => {
    if (cached !== undefined && client.time.now() - cached.fetchedAt < maxAgeMs) return cached;
    pending ??= fetchList(options).finally(() => {
      pending = undefined;
    });
    const timeouts = new AttemptTimeouts(client.time, options);
    try {
      return await timeouts.race(pending);
    } finally {
      timeouts.end();
    }
  };

  return {
    list,
    get: async (id, options) => (await list(options)).models.find((model) => model.id === id),
    clearCache: () => {
      cached = undefined;
    },
  };
}
