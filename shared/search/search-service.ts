import * as v from 'valibot';

/** A result as a service sends it: text of strangers. */
export type SearchHit = { readonly title: string; readonly url: string; readonly text: string };

export type SearchRequest = {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

export type SearchQuery = { readonly query: string; readonly count: number };

/** The interface of a search service: how to ask it, what it answers, and which status says what. */
export type SearchService = {
  readonly baseUrl: string;
  readonly request: (query: SearchQuery, baseUrl: string, key: string | undefined) => SearchRequest;
  /** Returns the results of a response; undefined if it has another form. */
  readonly parse: (body: unknown) => readonly SearchHit[] | undefined;
  /** The statuses of a key that is not valid, or of a service that is not set up for this. */
  readonly rejected: ReadonlySet<number>;
  /** The statuses of a rate limit or a used-up plan. */
  readonly limited: ReadonlySet<number>;
};

const text = v.optional(v.nullish(v.string()), '');
/** A result without an address is left out later, not the others with it. */
const address = v.fallback(v.string(), '');
/** Results with their text as `description`, and as `content`. */
const describedHit = v.pipe(
  v.object({ title: text, url: address, description: text }),
  v.transform(({ title, url, description }): SearchHit => ({
    title: title ?? '',
    url,
    text: description ?? '',
  })),
);
const contentHit = v.pipe(
  v.object({ title: text, url: address, content: text }),
  v.transform(({ title, url, content }): SearchHit => ({ title: title ?? '', url, text: content ?? '' })),
);

/** Parses a response of this form. */
const parser =
  <T>(schema: v.GenericSchema<unknown, T>, hitsOf: (response: T) => readonly SearchHit[]) =>
  (body: unknown): readonly SearchHit[] | undefined => {
    const parsed = v.safeParse(schema, body);
    return parsed.success ? hitsOf(parsed.output) : undefined;
  };

/** Appends a path to a base URL that may itself have a path. */
const joinUrl = (baseUrl: string, path: string): URL => new URL(baseUrl.replace(/\/*$/u, path));

/**
 * Brave Search API. A query has at most 400 characters and 50 words; `count` at most 20. A key that is not valid gets 422, or 401.
 * https://api-dashboard.search.brave.com/app/documentation/web-search
 */
const brave: SearchService = {
  baseUrl: 'https://api.search.brave.com',
  request: ({ query, count }, baseUrl, key = '') => {
    const url = joinUrl(baseUrl, '/res/v1/web/search');
    url.search = new URLSearchParams({
      q: query,
      count: String(count),
      result_filter: 'web',
      text_decorations: 'false',
    }).toString();
    return { url, method: 'GET', headers: { Accept: 'application/json', 'X-Subscription-Token': key } };
  },
  // Without results there is no `web`.
  parse: parser(
    v.object({
      type: v.literal('search'),
      web: v.optional(v.nullish(v.object({ results: v.array(describedHit) }))),
    }),
    ({ web }) => web?.results ?? [],
  ),
  rejected: new Set([401, 403, 422]),
  limited: new Set([402, 429]),
};

/**
 * Tavily. A query has at most 400 characters; `max_results` is at most 20. 432 and 433: the plan is used up.
 * https://docs.tavily.com/documentation/api-reference/endpoint/search
 */
const tavily: SearchService = {
  baseUrl: 'https://api.tavily.com',
  request: ({ query, count }, baseUrl, key = '') => ({
    url: joinUrl(baseUrl, '/search'),
    method: 'POST',
    headers: {
      Accept: 'application/json',
      'Content-Type': 'application/json',
      Authorization: `Bearer ${key}`,
    },
    body: JSON.stringify({ query, max_results: count, search_depth: 'basic' }),
  }),
  parse: parser(v.object({ results: v.array(contentHit) }), ({ results }) => results),
  rejected: new Set([401, 403]),
  limited: new Set([429, 432, 433]),
};

/**
 * SearXNG, an instance of one's own. Needs no key, and `json` in `search.formats` of its settings: without it, it responds 403.
 * https://docs.searxng.org/dev/search_api.html
 */
const searxng: SearchService = {
  baseUrl: 'http://127.0.0.1:8080',
  request: ({ query }, baseUrl, key) => {
    const url = joinUrl(baseUrl, '/search');
    url.search = new URLSearchParams({ q: query, format: 'json', categories: 'general' }).toString();
    return {
      url,
      method: 'GET',
      // For an instance behind a proxy that requires one.
      headers: { Accept: 'application/json', ...(key !== undefined && { Authorization: `Bearer ${key}` }) },
    };
  },
  parse: parser(v.object({ results: v.array(contentHit) }), ({ results }) => results),
  rejected: new Set([401, 403]),
  limited: new Set([429]),
};

export const SEARCH_SERVICES = { brave, tavily, searxng } as const satisfies Record<string, SearchService>;
export type SearchServiceName = keyof typeof SEARCH_SERVICES;
