import * as v from 'valibot';
import type { SearchRecord, TurnRef } from '../domain/index.ts';
import { type Locale, localize } from '../i18n/index.ts';
import {
  type ChatTool,
  type SourceNumbering,
  ToolError,
  type ToolResult,
  type ToolSource,
} from '../ports/index.ts';
import { visibleLine, visibleText } from '../utils/index.ts';
import type { KnowledgeContext } from './context.ts';
import { listTerms, type Passage, rankPassages } from './rules/index.ts';

/** What administrators write in the setting `tools`. */
export const KNOWLEDGE_SOURCE = 'knowledge';
/** Most searches for one question, and passages of one search. Stored with the turn: see `OUTCOME_BYTES`. */
const MAX_SEARCHES = 4;
const MAX_RESULTS = 5;
const MAX_QUERY_LENGTH = 400;
/** Each term is another part of the index to read. */
const MAX_TERMS = 16;
const MAX_TITLE_LENGTH = 80;

const argumentsSchema = v.object({
  query: v.pipe(
    v.string(),
    v.transform((query) => visibleLine(query, MAX_QUERY_LENGTH)),
    v.minLength(1),
  ),
});

type SearchedPassage = Passage & { readonly title: string; readonly url: string };

/**
 * Creates the source of the collections. A question is offered the collection of its own channel and no other: who may ask there may read it.
 * Channels without documents have no tool.
 */
export const createKnowledgeTools = ({ collections }: KnowledgeContext): ToolSource => ({
  names: (enabled) => enabled.filter((name) => name === KNOWLEDGE_SOURCE),
  load: async (_names, { turn, numbering }) =>
    (await collections.hasDocuments(turn.thread)) ? [createTool(turn, numbering, collections)] : [],
});

function createTool(
  { thread }: TurnRef,
  numbering: SourceNumbering,
  collections: KnowledgeContext['collections'],
): ChatTool {
  let searches = 0;
  return {
    source: KNOWLEDGE_SOURCE,
    hasNumberedSources: true,
    definition: {
      name: 'search_knowledge',
      description:
        'Searches the documents that the team collected for this channel. Search before you answer a question that they may answer. It finds passages with the ' +
        'words of the query, in the language of the documents: use several words, also other words for the same. Passages are numbered. Put the number in ' +
        'brackets behind each statement that you take from one, such as [2]; people see title, page and link of the numbers that you write. If no passage ' +
        'answers the question, say that nothing was found in the knowledge of this channel.',
      parameters: {
        type: 'object',
        properties: { query: { type: 'string', description: 'Two to ten words' } },
        required: ['query'],
      },
    },
    prepare: (args, locale) => {
      const parsed = v.safeParse(argumentsSchema, args);
      if (!parsed.success) throw new ToolError(`“query” has to be 1 to ${MAX_QUERY_LENGTH} characters.`);
      const { query } = parsed.output;
      return {
        title: localize(locale, 'knowledge.searching', { query: visibleText(query, MAX_TITLE_LENGTH) }),
        status: ['knowledge.status'],
        run: async (signal) => {
          searches += 1;
          if (searches > MAX_SEARCHES)
            throw new ToolError(
              `You have searched ${MAX_SEARCHES} times. Answer with what you have.`,
              localize(locale, 'answers.search.too-many'),
            );
          const passages = await findPassages(query, thread, collections, signal);
          return toResult(query, passages, numbering, locale);
        },
      };
    },
  };
}

/** Finds the passages that fit a query best. Documents that are removed meanwhile are left out. */
async function findPassages(
  query: string,
  place: TurnRef['thread'],
  collections: KnowledgeContext['collections'],
  signal: AbortSignal,
): Promise<readonly SearchedPassage[]> {
  const terms = [...new Set(listTerms(query))].slice(0, MAX_TERMS);
  if (terms.length === 0) return [];
  const { ready } = await collections.list(place);
  signal.throwIfAborted();
  const indexed = await collections.findTerms(place, ready, terms);
  signal.throwIfAborted();
  const byId = new Map(ready.map((document) => [document.id, document]));
  const passages = await Promise.all(
    rankPassages(terms, indexed, MAX_RESULTS).map(async ({ id, position }) => {
      const [document, passage] = [byId.get(id), await collections.findPassage(place, id, position)];
      return document && passage ? [{ ...passage, title: document.title, url: document.url }] : [];
    }),
  );
  return passages.flat();
}

/** Numbers the passages. Called when they have arrived, so concurrent searches have different numbers. */
function toResult(
  query: string,
  passages: readonly SearchedPassage[],
  numbering: SourceNumbering,
  locale: Locale,
): ToolResult {
  const numbered = passages.map(({ title, page, ...rest }) => {
    numbering.last += 1;
    const where = page === undefined ? '' : ` · ${localize(locale, 'knowledge.page', { page })}`;
    return { ...rest, number: numbering.last, title: `${visibleText(title, MAX_TITLE_LENGTH)}${where}` };
  });
  const search: SearchRecord = {
    query,
    results: numbered.map(({ number, title, url }) => ({ number, title, url })),
  };
  const summary = localize(locale, 'answers.search.found', { count: numbered.length });
  if (numbered.length === 0)
    return {
      content:
        'Nothing was found in the knowledge of this channel. Try once more with other words, or say so.',
      summary,
      search,
    };
  const content = numbered.map(({ number, title, text }) => `[${number}] ${title}\n${text}`).join('\n\n');
  return { content, summary, search };
}
