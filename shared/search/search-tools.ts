import { type Budgets, BudgetExceededError } from '../billing/index.ts';
import type { TurnRef } from '../domain/index.ts';
import { type Locale, localize, type TextKey } from '../i18n/index.ts';
import { type ChatTool, type SourceNumbering, ToolError, type ToolSource } from '../ports/index.ts';
import type { Log } from '../runtime/index.ts';
import { createNumberedSearch, MAX_SEARCH_RESULTS } from './numbered-search.ts';
import { type SearchClient, SearchError, type SearchFailure } from './search-client.ts';
import type { SearchHit } from './search-service.ts';

/** What administrators write in the setting `tools`. */
const SEARCH_SOURCE = 'search';
/** A search whose worker crashed counts as paid after this time. */
const RESERVATION_TTL_MS = 5 * 60_000;

export type SearchToolsConfig = {
  /** The name of the service, under which its price is booked. */
  readonly service: string;
  readonly search: SearchClient;
  /** The price of a search in attodollars (1e-18 $). */
  readonly atto: bigint;
  /** Takes a permit of the rate limit of the deployment. Returns whether there was one. */
  readonly takePermit: () => Promise<boolean>;
  readonly budgets: Pick<Budgets, 'reserveFixedPrice' | 'settleFixedPrice'>;
  readonly log: Log;
  /** Returns a new id for a reservation. */
  readonly createId: () => string;
};

/** Creates the source of the web search. */
export const createSearchTools = (config: SearchToolsConfig): ToolSource => ({
  names: [SEARCH_SOURCE],
  load: (_names, { turn, numbering }) => Promise.resolve([createWebSearch(turn, numbering, config)]),
});

const createWebSearch = (turn: TurnRef, numbering: SourceNumbering, config: SearchToolsConfig): ChatTool =>
  createNumberedSearch<SearchHit>(
    {
      source: SEARCH_SOURCE,
      name: 'web_search',
      description:
        'Searches the web, for what may have changed or what you do not know. The query leaves for a search service: use a few general words, no names of ' +
        'private people and no secrets. Results are numbered. Put the number in brackets behind each statement that you take from a result, such as [2]; ' +
        'people see the links of the numbers that you write. Do not write links of results yourself.',
      queryDescription: 'A few words, at most 50',
      title: 'answers.search.title',
      status: 'answers.status.searching-web',
      find: (query, locale, signal) => searchOnce(query, turn, { ...config, locale, signal }),
      cite: ({ title, url, text }) => ({ title, url, content: `${title}\n${url}\n${text}` }),
      nothingFound: 'Nothing was found.',
    },
    numbering,
  );

type Call = SearchToolsConfig & { readonly locale: Locale; readonly signal: AbortSignal };

/** Searches within the limits, and books the price. Rejects with ToolError, or the reason of the aborted signal. */
async function searchOnce(
  query: string,
  { thread, asker }: TurnRef,
  call: Call,
): Promise<readonly SearchHit[]> {
  const { search, budgets, atto, service, log, signal } = call;
  if (!(await call.takePermit())) throw refuse('busy', 'There are too many searches now.', call);
  const price = { id: call.createId(), atto };
  const accounts = atto > 0n ? await reserve({ ...price, thread, person: asker }, call) : [];
  const settle = (isBilled: boolean): Promise<void> =>
    budgets.settleFixedPrice(
      accounts,
      price,
      isBilled ? { model: `search:${service}`, priced: true } : undefined,
    );
  try {
    const hits = await search(query, MAX_SEARCH_RESULTS, signal);
    await settle(true);
    return hits;
  } catch (error) {
    // What was aborted or took too long may have been done all the same.
    await settle(!(error instanceof SearchError) || error.failure === 'slow');
    if (!(error instanceof SearchError)) throw error;
    log('search.failed', { service, reason: error.failure, status: error.status });
    throw refuse(
      FAILURE_TEXTS[error.failure],
      'The search service does not work now. Say so, and answer without it.',
      call,
    );
  }
}

async function reserve(
  request: Pick<TurnRef, 'thread'> & { readonly id: string; readonly atto: bigint; readonly person: string },
  call: Call,
): Promise<Awaited<ReturnType<Budgets['reserveFixedPrice']>>> {
  try {
    return await call.budgets.reserveFixedPrice({ ...request, maxMs: RESERVATION_TTL_MS });
  } catch (error) {
    if (error instanceof BudgetExceededError)
      throw refuse(
        'over-budget',
        'The budget does not allow another search. Answer with what you have.',
        call,
      );
    throw error;
  }
}

type Refusal = 'busy' | 'over-budget' | 'rejected' | 'down';
const FAILURE_TEXTS: Readonly<Record<SearchFailure, Refusal>> = {
  rejected: 'rejected',
  limited: 'busy',
  down: 'down',
  slow: 'down',
};

/** `why` is for the model; people read a sentence in their language. */
function refuse(refusal: Refusal, why: string, { locale }: Call): ToolError {
  const key: TextKey = `answers.search.${refusal}`;
  return new ToolError(why, localize(locale, key));
}
