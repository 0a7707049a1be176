import { PLATFORM_TRAITS, type TurnRef } from '../domain/index.ts';
import { type Locale, localize, type TextKey } from '../i18n/index.ts';
import {
  type MessageHit,
  type MessageSearch,
  MessageSearchError,
  type MessageSearchFailure,
  type Platform,
} from '../platforms/ports/index.ts';
import { type ChatTool, type SourceNumbering, ToolError, type ToolSource } from '../ports/index.ts';
import type { Log } from '../runtime/index.ts';
import { toVisibleText } from '../utils/index.ts';
import { createNumberedSearch, MAX_SEARCH_RESULTS } from './numbered-search.ts';

/** What administrators write in the setting `tools`. */
const MESSAGES_SOURCE = 'messages';
const MAX_TITLE_LENGTH = 80;
const MAX_TEXT_LENGTH = 1_200;
const MAX_URL_LENGTH = 400;

export type MessageSearchToolsConfig = {
  readonly platform: Pick<Platform, 'prepareMessageSearch'>;
  readonly log: Log;
};

/** Creates the source of the search in the messages of the workspace. */
export const createMessageSearchTools = ({ platform, log }: MessageSearchToolsConfig): ToolSource => ({
  names: [MESSAGES_SOURCE],
  load: (_names, { turn, numbering, searchToken }) => {
    const search = platform.prepareMessageSearch(turn, searchToken);
    return Promise.resolve(search === undefined ? [] : [createTool(search, { turn, numbering, log })]);
  },
});

type Question = { readonly turn: TurnRef; readonly numbering: SourceNumbering; readonly log: Log };

const createTool = (search: MessageSearch, question: Question): ChatTool =>
  createNumberedSearch<MessageHit>(
    {
      source: MESSAGES_SOURCE,
      name: 'search_messages',
      description:
        'Searches the messages that people wrote in the public channels of this workspace. Use it for what the team said, decided or shared. Use a few words ' +
        'that the messages may contain, in their language; search again with other words if nothing fits. Messages are numbered. Put the number in brackets ' +
        'behind each statement that you take from one, such as [2]; people see channel, date and link of the numbers that you write. Messages may be outdated ' +
        'or wrong: say when something was written if it matters. If no message answers the question, say that nothing was found.',
      queryDescription: 'A few words',
      title: 'answers.messages.title',
      status: 'answers.status.searching-messages',
      find: async (query, locale, signal) => {
        const hits = await search(query, signal).catch((error: unknown) => {
          throw error instanceof MessageSearchError ? toToolError(error, locale, question) : error;
        });
        // The question has the words of its query, and is no answer.
        return listUsable(hits.filter(({ id }) => id !== question.turn.message));
      },
      cite: citeMessage,
      nothingFound: 'No message was found. Try once more with other words, or say so.',
    },
    question.numbering,
  );

const FAILURE_TEXTS: Readonly<Record<MessageSearchFailure, TextKey>> = {
  'not-allowed-now': 'answers.messages.not-allowed-now',
  'missing-scope': 'answers.messages.missing-scope',
  'not-offered': 'answers.messages.not-offered',
  'no-permission': 'answers.messages.no-permission',
  indexing: 'answers.messages.indexing',
  busy: 'answers.search.busy',
  down: 'answers.search.down',
};

/** The model is told to answer without; people read a sentence in their language. */
function toToolError(
  { failure, code }: MessageSearchError,
  locale: Locale,
  { turn, log }: Question,
): ToolError {
  const { platform } = turn.thread;
  log('messages.search-failed', { platform, reason: failure, code });
  const sentence = localize(locale, FAILURE_TEXTS[failure], { platform: PLATFORM_TRAITS[platform].name });
  return new ToolError(
    'The messages cannot be searched for this question. Say so, and answer without them.',
    sentence,
  );
}

const listUsable = (hits: readonly MessageHit[]): readonly MessageHit[] =>
  hits
    .flatMap((hit) => {
      const text = toVisibleText(hit.text, MAX_TEXT_LENGTH).trim();
      const isCitable = hit.link.length <= MAX_URL_LENGTH && URL.parse(hit.link)?.protocol === 'https:';
      return text !== '' && isCitable ? [{ ...hit, text }] : [];
    })
    .slice(0, MAX_SEARCH_RESULTS);

/**
 * What is stored of a message is channel, date and link: neither text nor author, so that nothing of their authors stays with the question of
 * somebody else.
 */
function citeMessage({ channel: name, author, at, link, text }: MessageHit) {
  const [sentAt, channel] = [new Date(at).toISOString(), toVisibleText(name, MAX_TITLE_LENGTH)];
  return {
    title: `${channel} · ${sentAt.slice(0, 10)}`,
    url: link,
    content: `#${channel}, ${sentAt}, ${toVisibleText(author, MAX_TITLE_LENGTH)}:\n${text}`,
  };
}
