import type { CallOptions } from '../config.ts';
import { MalformedAnswerError } from '../errors.ts';
import { callJson } from '../http/call.ts';
import { type Client, endpoint } from '../http/client.ts';
import { Watch } from '../http/watch.ts';
import { type Model, modelsOf } from './model.ts';

/** The list changes rarely; asking more often than this is what its limit of 300 a minute is for. */
const MAX_AGE_MS = 10 * 60_000;
const MAX_BYTES = 4 * 1024 * 1024;

export type ModelList = {
  readonly models: readonly Model[];
  /** When it was fetched, ms since 1970. */
  readonly at: number;
};

export type Models = {
  /** The key's models, at most `maxAgeMs` old (10 minutes unless told otherwise). Calls at the same time share one request. */
  readonly list: (options?: CallOptions & { readonly maxAgeMs?: number | undefined }) => Promise<ModelList>;
  /** The model of that id; undefined when the list lacks it. */
  readonly get: (id: string, options?: CallOptions) => Promise<Model | undefined>;
  /** Makes the next call ask anew: after a 404 for a model, the list is out of date. */
  readonly forget: () => void;
};

export function createModels(client: Client): Models {
  let known: ModelList | undefined;
  let asking: Promise<ModelList> | undefined;

  const ask = async (options: CallOptions): Promise<ModelList> => {
    // Shared by all who wait: no single one may abort it or stretch it.
    const { beforeAttempt, onRateLimit } = options;
    const shared = { beforeAttempt, onRateLimit, deadline: client.time.now() + 2 * client.timeouts.call };
    const url = endpoint(client.baseUrl, '/v1/models');
    const call = {
      method: 'GET',
      url,
      credential: 'bearer',
      timeoutMs: client.timeouts.call,
      maxBytes: MAX_BYTES,
      repeatable: true,
    } as const;
    const { value, requestId } = await callJson(client, call, shared);
    const models = modelsOf(value);
    if (models === undefined)
      throw new MalformedAnswerError('The list of models is none.', { code: 'bad_json', requestId });
    known = { models, at: client.time.now() };
    return known;
  };

  const list: Models['list'] = async ({ maxAgeMs = MAX_AGE_MS, ...options } = {}) => {
    if (known !== undefined && client.time.now() - known.at < maxAgeMs) return known;
    asking ??= ask(options).finally(() => {
      asking = undefined;
    });
    const watch = new Watch(client.time, options);
    try {
      return await watch.race(asking);
    } finally {
      watch.end();
    }
  };

  return {
    list,
    get: async (id, options) => (await list(options)).models.find((model) => model.id === id),
    forget: () => {
      known = undefined;
    },
  };
}
