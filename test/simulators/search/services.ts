/** A request to a search service, as the simulator reads it. */
export type ReceivedSearch = {
  readonly method: string;
  readonly url: URL;
  readonly header: (name: string) => string | undefined;
  readonly body: string;
};

/** A page that is found. Its text may be anything: strangers write it. */
export type Page = { readonly title: string; readonly url: string; readonly text: string };

export type SearchResponse = { readonly status: number; readonly body: unknown };

/** Reads a search of a service: the query and how many results it wants, or the error of the service. */
type Reading = { readonly query: string; readonly count: number } | SearchResponse;

export type SimulatedService = {
  readonly path: string;
  readonly read: (request: ReceivedSearch, key: string) => Reading;
  readonly respond: (query: string, pages: readonly Page[]) => unknown;
};

const MAX_COUNT = 20;
/** What SearXNG shows on a page, whatever is asked. */
const SEARXNG_COUNT = 10;

const braveError = (status: number, code: string, detail: string): SearchResponse => ({
  status,
  body: { type: 'ErrorResponse', error: { id: 'e-1', status, code, detail }, time: 1_760_000_000 },
});

const BRAVE_PARAMETERS = new Set([
  'q',
  'count',
  'offset',
  'country',
  'search_lang',
  'safesearch',
  'freshness',
  'result_filter',
  'text_decorations',
  'extra_snippets',
]);

const brave: SimulatedService = {
  path: '/res/v1/web/search',
  read: ({ method, url: { searchParams }, header }, key) => {
    if (method !== 'GET') return braveError(405, 'METHOD_NOT_ALLOWED', 'Only GET');
    if (header('x-subscription-token') !== key)
      return braveError(422, 'SUBSCRIPTION_TOKEN_INVALID', 'The provided subscription token is invalid.');
    const [query, count] = [searchParams.get('q') ?? '', Number(searchParams.get('count') ?? 20)];
    const isKnown = [...searchParams.keys()].every((name) => BRAVE_PARAMETERS.has(name));
    const isQuery = query.trim() !== '' && query.length <= 400 && query.split(/\s+/u).length <= 50;
    if (!isKnown || !isQuery || !Number.isInteger(count) || count < 1 || count > MAX_COUNT)
      return braveError(422, 'VALIDATION', 'Unable to validate request parameter(s)');
    return { query, count };
  },
  respond: (original, pages) => ({
    type: 'search',
    query: { original, show_strict_warning: false, is_navigational: false },
    ...(pages.length > 0 && {
      web: {
        type: 'search',
        results: pages.map(({ title, url, text }) => ({
          type: 'search_result',
          title,
          url,
          description: text,
          is_source_local: false,
          family_friendly: true,
        })),
        family_friendly: true,
      },
    }),
  }),
};

const tavilyError = (status: number, error: string): SearchResponse => ({
  status,
  body: { detail: { error } },
});

const tavily: SimulatedService = {
  path: '/search',
  read: ({ header, body }, key) => {
    if (header('authorization') !== `Bearer ${key}`)
      return tavilyError(401, 'Unauthorized: missing or invalid API key.');
    if (!header('content-type')?.startsWith('application/json')) return tavilyError(422, 'JSON is expected.');
    const parsed: unknown = JSON.parse(body);
    const fields = new Map<string, unknown>(
      Object.entries(typeof parsed === 'object' && parsed !== null ? parsed : {}),
    );
    const query = fields.get('query');
    const count = fields.get('max_results') ?? 5;
    if (typeof query !== 'string' || query === '' || query.length > 400)
      return tavilyError(400, 'Query is missing or too long. Max query length is 400 characters.');
    if (typeof count !== 'number' || !Number.isInteger(count) || count < 0 || count > MAX_COUNT)
      return tavilyError(400, 'Max results must be between 0 and 20.');
    return { query, count };
  },
  respond: (query, pages) => ({
    query,
    follow_up_questions: null,
    answer: null,
    images: [],
    results: pages.map(({ title, url, text }, at) => ({
      title,
      url,
      content: text,
      score: 0.9 - at / 10,
      raw_content: null,
    })),
    response_time: 0.42,
  }),
};

const searxng: SimulatedService = {
  path: '/search',
  read: ({ url: { searchParams } }) => {
    // Without a format it responds with a page; a format that is not set up is forbidden.
    if (searchParams.get('format') !== 'json') return { status: 403, body: 'Forbidden' };
    const query = searchParams.get('q') ?? '';
    return query === '' ? { status: 400, body: { error: 'No query' } } : { query, count: SEARXNG_COUNT };
  },
  respond: (query, pages) => ({
    query,
    number_of_results: 0,
    results: pages.map(({ title, url, text }) => ({
      url,
      title,
      content: text,
      engine: 'duckduckgo',
      engines: ['duckduckgo'],
      category: 'general',
      score: 1,
    })),
    answers: [],
    corrections: [],
    infoboxes: [],
    suggestions: [],
    unresponsive_engines: [],
  }),
};

/** Tavily and SearXNG have the same path: one is posted to. */
export const serviceOf = ({
  method,
  url,
}: Pick<ReceivedSearch, 'method' | 'url'>): SimulatedService | undefined => {
  if (url.pathname === brave.path) return brave;
  if (url.pathname !== '/search') return undefined;
  return method === 'POST' ? tavily : searxng;
};
