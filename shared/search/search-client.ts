import type { Time } from '../runtime/index.ts';
import { readBoundedBody } from '../platforms/index.ts';
import { errorName, parseJson } from '../utils/index.ts';
import { cleanHits } from './clean-hits.ts';
import { SEARCH_SERVICES, type SearchHit, type SearchServiceName } from './search-service.ts';

const TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 1024 * 1024;

/** Why a search failed. `slow`: it may have been done and billed. */
export type SearchFailure = 'rejected' | 'limited' | 'down' | 'slow';

/** A search failed. Holds no query and no key. */
export class SearchError extends Error {
  override readonly name = 'SearchError';
  readonly failure: SearchFailure;
  /** The HTTP status, if there was a response. */
  readonly status: number | undefined;
  constructor(failure: SearchFailure, status?: number, cause?: unknown) {
    super(`the web search failed: ${failure}`, { cause });
    this.failure = failure;
    this.status = status;
  }
}

export type SearchClientConfig = {
  readonly service: SearchServiceName;
  /** The address of the service; its public one if undefined. */
  readonly baseUrl: string | undefined;
  /** Returns the API key, if there is one. `refresh` reads it again. Called for each search. */
  readonly apiKey: (options: { readonly refresh: boolean }) => Promise<string | undefined>;
  readonly fetch: typeof fetch;
  readonly time: Pick<Time, 'sleep'>;
};

/** Asks the service for `count` results. Rejects with SearchError, or with the reason of the aborted signal. */
export type SearchClient = (
  query: string,
  count: number,
  signal: AbortSignal,
) => Promise<readonly SearchHit[]>;

/**
 * Creates the client of a search service. A search has ten seconds and one MB, and follows no redirect. After a rejected key it is
 * repeated once, if the secret has another key by then.
 */
export function createSearchClient(config: SearchClientConfig): SearchClient {
  const service = SEARCH_SERVICES[config.service];
  return async (query, count, signal) => {
    const send = (key: string | undefined) =>
      sendRequest(service.request({ query, count }, config.baseUrl ?? service.baseUrl, key), config, signal);
    const key = await readKey(config, false);
    let response = await send(key);
    if (service.rejected.has(response.status)) {
      const current = await readKey(config, true);
      if (current !== key) response = await send(current);
    }
    const { status, body } = response;
    if (service.rejected.has(status)) throw new SearchError('rejected', status);
    if (service.limited.has(status)) throw new SearchError('limited', status);
    const hits = status === 200 ? service.parse(body) : undefined;
    if (!hits) throw new SearchError('down', status);
    return cleanHits(hits, count);
  };
}

/** Reads the API key. Rejects with SearchError: nothing is sent without it. */
async function readKey({ apiKey }: SearchClientConfig, refresh: boolean): Promise<string | undefined> {
  try {
    return await apiKey({ refresh });
  } catch (error) {
    throw new SearchError('down', undefined, errorName(error));
  }
}

type SearchResponse = { readonly status: number; readonly body: unknown };

async function sendRequest(
  { url, method, headers, body }: ReturnType<(typeof SEARCH_SERVICES)[SearchServiceName]['request']>,
  { fetch, time }: Pick<SearchClientConfig, 'fetch' | 'time'>,
  signal: AbortSignal,
): Promise<SearchResponse> {
  const finished = new AbortController();
  const slow = new AbortController();
  time.sleep(TIMEOUT_MS, finished.signal).then(
    () => slow.abort(new SearchError('slow')),
    () => undefined,
  );
  try {
    const limits = { signal: AbortSignal.any([signal, slow.signal]), redirect: 'error' as const };
    const response = await fetch(url, {
      method,
      headers: { ...headers },
      ...limits,
      ...(body !== undefined && { body }),
    });
    const bytes = await readBoundedBody(response, MAX_RESPONSE_BYTES);
    return { status: response.status, body: bytes && parseJson(new TextDecoder().decode(bytes)) };
  } catch (error) {
    signal.throwIfAborted();
    slow.signal.throwIfAborted();
    throw new SearchError('down', undefined, errorName(error));
  } finally {
    finished.abort(new Error('the search is finished'));
  }
}
