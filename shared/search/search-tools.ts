import * as v from 'valibot';
import { type Budgets, BudgetExceededError } from '../billing/index.ts';
import type { SearchRecord, TurnRef } from '../domain/index.ts';
import { type Locale, localize, type TextKey } from '../i18n/index.ts';
import {
  type ChatTool,
  type SourceNumbering,
  ToolError,
  type ToolResult,
  type ToolSource,
} from '../ports/index.ts';
import type { Log } from '../runtime/index.ts';
import { visibleLine } from '../utils/index.ts';
import { type SearchClient, SearchError, type SearchFailure } from './search-client.ts';
import type { SearchHit } from './search-service.ts';

/** What administrators write in the setting `tools`. */
export const SEARCH_SOURCE = 'search';
/** Most searches for one question, and results of one search. Stored with the turn: see `OUTCOME_BYTES`. */
const MAX_SEARCHES = 4;
const MAX_RESULTS = 5;
/** The limits of Brave, the narrowest of the services. */
const MAX_QUERY_LENGTH = 400;
const MAX_QUERY_WORDS = 50;
/** A search whose worker crashed counts as paid after this time. */
const RESERVATION_TTL_MS = 5 * 60_000;

const argumentsSchema = v.object({
  query: v.pipe(
    v.string(),
    v.maxLength(2 * MAX_QUERY_LENGTH),
    v.transform((query) => visibleLine(query, 2 * MAX_QUERY_LENGTH)),
    v.minLength(1),
    v.maxLength(MAX_QUERY_LENGTH),
    v.check((query) => query.split(' ').length <= MAX_QUERY_WORDS),
  ),
});

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

/** The searches of one question: the results are numbered across them, and across its other tools. */
type QuestionSearches = { searches: number; readonly numbering: SourceNumbering };

/** Creates the source of the web search. */
export const createSearchTools = (config: SearchToolsConfig): ToolSource => ({
  names: (enabled) => enabled.filter((name) => name === SEARCH_SOURCE),
  load: (_names, { turn, numbering }) => Promise.resolve([createSearchTool(turn, numbering, config)]),
});

function createSearchTool(turn: TurnRef, numbering: SourceNumbering, config: SearchToolsConfig): ChatTool {
  const counts: QuestionSearches = { searches: 0, numbering };
  return {
    source: SEARCH_SOURCE,
    hasNumberedSources: true,
    definition: {
      name: 'web_search',
      description:
        'Searches the web, for what may have changed or what you do not know. The query leaves for a search service: use a few general words, no names of ' +
        'private people and no secrets. Results are numbered. Put the number in brackets behind each statement that you take from a result, such as [2]; ' +
        'people see the links of the numbers that you write. Do not write links of results yourself.',
      parameters: {
        type: 'object',
        properties: { query: { type: 'string', description: 'A few words, at most 50' } },
        required: ['query'],
      },
    },
    prepare: (args, locale) => {
      const parsed = v.safeParse(argumentsSchema, args);
      if (!parsed.success)
        throw new ToolError(
          `“query” has to be 1 to ${MAX_QUERY_WORDS} words, at most ${MAX_QUERY_LENGTH} characters.`,
        );
      const { query } = parsed.output;
      return {
        title: localize(locale, 'answers.search.title', { query: shorten(query) }),
        status: ['answers.status.searching-web'],
        run: async (signal) =>
          toResult(
            query,
            await searchOnce(query, turn, counts, { ...config, locale, signal }),
            counts,
            locale,
          ),
      };
    },
  };
}

const shorten = (query: string): string =>
  query.length <= 80 ? query : `${query.slice(0, 79).toWellFormed()}…`;

type Call = SearchToolsConfig & { readonly locale: Locale; readonly signal: AbortSignal };

/** Searches within the limits, and books the price. Rejects with ToolError, or the reason of the aborted signal. */
async function searchOnce(
  query: string,
  { thread, asker }: TurnRef,
  counts: QuestionSearches,
  call: Call,
): Promise<readonly SearchHit[]> {
  const { search, budgets, atto, service, log, signal } = call;
  if (counts.searches >= MAX_SEARCHES)
    throw refuse('too-many', `You have searched ${MAX_SEARCHES} times. Answer with what you have.`, call);
  counts.searches += 1;
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
    const hits = await search(query, MAX_RESULTS, signal);
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

type Refusal = 'too-many' | 'busy' | 'over-budget' | 'rejected' | 'down';
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

/** Numbers the results. Called when they have arrived, so concurrent searches have different numbers. */
function toResult(
  query: string,
  hits: readonly SearchHit[],
  { numbering }: QuestionSearches,
  locale: Locale,
): ToolResult {
  const numbered = hits.map((one, index) => ({ ...one, number: numbering.last + index + 1 }));
  numbering.last += hits.length;
  const search: SearchRecord = {
    query,
    results: numbered.map(({ number, title, url }) => ({ number, title, url })),
  };
  const summary = localize(locale, 'answers.search.found', { count: hits.length });
  if (hits.length === 0) return { content: 'Nothing was found.', summary, search };
  const content = numbered
    .map(({ number, title, url, text }) => `[${number}] ${title}\n${url}\n${text}`)
    .join('\n\n');
  return { content, summary, search };
}
