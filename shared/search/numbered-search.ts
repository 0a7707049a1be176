import * as v from 'valibot';
import { type Locale, localize, type TextKey } from '../i18n/index.ts';
import { type ChatTool, type SourceNumbering, ToolError, type ToolResult } from '../ports/index.ts';
import { toVisibleLine, toVisibleText } from '../utils/index.ts';

/** Most searches for one question, and results of one search. Stored with the turn: see `OUTCOME_BYTES`. */
const MAX_SEARCHES = 4;
export const MAX_SEARCH_RESULTS = 5;
/** The limits of Brave, the narrowest of the services. */
const MAX_QUERY_LENGTH = 400;
const MAX_QUERY_WORDS = 50;
/** Of a query as people see it, in characters. */
const MAX_SHOWN_LENGTH = 80;

const argumentsSchema = v.object({
  query: v.pipe(
    v.string(),
    v.maxLength(2 * MAX_QUERY_LENGTH),
    v.transform((query) => toVisibleLine(query, 2 * MAX_QUERY_LENGTH)),
    v.minLength(1),
    v.maxLength(MAX_QUERY_LENGTH),
    v.check((query) => query.split(' ').length <= MAX_QUERY_WORDS),
  ),
});

/** A search for one question. */
export type NumberedSearch<Hit> = {
  /** What administrators write in the setting `tools`. */
  readonly source: string;
  readonly name: string;
  readonly description: string;
  readonly queryDescription: string;
  /** What people read while it runs: a text with the parameter `query`, and the status. */
  readonly title: TextKey;
  readonly status: TextKey;
  /** Rejects with ToolError, or the reason of the aborted signal. */
  readonly find: (query: string, locale: Locale, signal: AbortSignal) => Promise<readonly Hit[]>;
  /** What is stored of a hit and listed as its source, and what the model reads. */
  readonly cite: (
    hit: Hit,
    locale: Locale,
  ) => { readonly title: string; readonly url: string; readonly content: string };
  /** What the model reads if there is no hit. */
  readonly nothingFound: string;
};

/** Creates the tool of a search whose hits have numbers, across all searches of the question. */
export function createNumberedSearch<Hit>(tool: NumberedSearch<Hit>, numbering: SourceNumbering): ChatTool {
  let searches = 0;
  return {
    source: tool.source,
    hasNumberedSources: true,
    definition: {
      name: tool.name,
      description: tool.description,
      parameters: {
        type: 'object',
        properties: { query: { type: 'string', description: tool.queryDescription } },
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
        title: localize(locale, tool.title, { query: toVisibleText(query, MAX_SHOWN_LENGTH) }),
        status: [tool.status],
        run: async (signal) => {
          searches += 1;
          if (searches > MAX_SEARCHES)
            throw new ToolError(
              `You have searched ${MAX_SEARCHES} times. Answer with what you have.`,
              localize(locale, 'answers.search.too-many'),
            );
          return toResult(query, await tool.find(query, locale, signal), tool, { numbering, locale });
        },
      };
    },
  };
}

/** Numbers the hits. Called when they have arrived, so concurrent searches have different numbers. */
function toResult<Hit>(
  query: string,
  hits: readonly Hit[],
  { cite, nothingFound }: Pick<NumberedSearch<Hit>, 'cite' | 'nothingFound'>,
  { numbering, locale }: { readonly numbering: SourceNumbering; readonly locale: Locale },
): ToolResult {
  const cited = hits.map((hit) => {
    numbering.last += 1;
    return { number: numbering.last, ...cite(hit, locale) };
  });
  return {
    content: cited.map(({ number, content }) => `[${number}] ${content}`).join('\n\n') || nothingFound,
    summary: localize(locale, 'answers.search.found', { count: cited.length }),
    search: { query, results: cited.map(({ number, title, url }) => ({ number, title, url })) },
  };
}
