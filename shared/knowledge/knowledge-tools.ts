import type { TurnRef } from '../domain/index.ts';
import { localize } from '../i18n/index.ts';
import type { ChatTool, SourceNumbering, ToolSource } from '../ports/index.ts';
import { createNumberedSearch, MAX_SEARCH_RESULTS } from '../search/index.ts';
import { toVisibleText } from '../utils/index.ts';
import type { KnowledgeContext } from './context.ts';
import { listSearchedTerms, type Passage, rankPassages } from './rules/index.ts';

/** What administrators write in the setting `tools`. */
export const KNOWLEDGE_SOURCE = 'knowledge';
/** Of a query. A word of Chinese, Japanese or Korean is some pairs of characters, and each pair counts. The index has 16 parts, however many words there are. */
const MAX_WORDS = 48;
const MAX_TITLE_LENGTH = 80;

type SearchedPassage = Passage & { readonly title: string; readonly url: string };

/**
 * Creates the source of the collections. A question is offered the collection of its own channel and no other: who may ask there may read it.
 * Channels without documents have no tool.
 */
export const createKnowledgeTools = ({ collections }: KnowledgeContext): ToolSource => ({
  names: [KNOWLEDGE_SOURCE],
  load: async (_names, { turn, numbering }) =>
    (await collections.hasDocuments(turn.thread)) ? [createTool(turn, numbering, collections)] : [],
});

const createTool = (
  { thread }: TurnRef,
  numbering: SourceNumbering,
  collections: KnowledgeContext['collections'],
): ChatTool =>
  createNumberedSearch<SearchedPassage>(
    {
      source: KNOWLEDGE_SOURCE,
      name: 'search_knowledge',
      description:
        'Searches the documents that the team collected for this channel. Search before you answer a question that they may answer. It finds passages with the ' +
        'words of the query, in the language of the documents: use several words, also other words for the same. Passages are numbered. Put the number in ' +
        'brackets behind each statement that you take from one, such as [2]; people see title, page and link of the numbers that you write. If no passage ' +
        'answers the question, say that nothing was found in the knowledge of this channel.',
      queryDescription: 'Two to ten words',
      title: 'knowledge.searching',
      status: 'knowledge.status',
      find: (query, _, signal) => findPassages(query, thread, collections, signal),
      cite: ({ title, page, url, text }, locale) => {
        const where = page === undefined ? '' : ` · ${localize(locale, 'knowledge.page', { page })}`;
        const cited = `${toVisibleText(title, MAX_TITLE_LENGTH)}${where}`;
        return { title: cited, url, content: `${cited}\n${text}` };
      },
      nothingFound:
        'Nothing was found in the knowledge of this channel. Try once more with other words, or say so.',
    },
    numbering,
  );

/** Finds the passages that fit a query best. Documents that are removed meanwhile are left out. */
async function findPassages(
  query: string,
  place: TurnRef['thread'],
  collections: KnowledgeContext['collections'],
  signal: AbortSignal,
): Promise<readonly SearchedPassage[]> {
  const terms = listSearchedTerms(query, MAX_WORDS);
  if (terms.length === 0) return [];
  const { ready } = await collections.list(place);
  signal.throwIfAborted();
  const indexed = await collections.findTerms(place, ready, terms);
  signal.throwIfAborted();
  const byId = new Map(ready.map((document) => [document.id, document]));
  const passages = await Promise.all(
    rankPassages(terms, indexed, MAX_SEARCH_RESULTS).map(async ({ id, position }) => {
      const [document, passage] = [byId.get(id), await collections.findPassage(place, id, position)];
      return document && passage ? [{ ...passage, title: document.title, url: document.url }] : [];
    }),
  );
  return passages.flat();
}
