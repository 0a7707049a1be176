import * as v from 'valibot';
import { PLATFORM_TRAITS, type SearchRecord, type TurnRef } from '../domain/index.ts';
import { type Locale, localize, type TextKey } from '../i18n/index.ts';
import {
  type MessageHit,
  type MessageSearch,
  MessageSearchError,
  type MessageSearchFailure,
  type Platform,
} from '../platforms/ports/index.ts';
import {
  type ChatTool,
  type SourceNumbering,
  ToolError,
  type ToolResult,
  type ToolSource,
} from '../ports/index.ts';
import type { Log } from '../runtime/index.ts';
import { visibleLine, visibleText } from '../utils/index.ts';

/** What administrators write in the setting `tools`. */
export const MESSAGES_SOURCE = 'messages';
/** Most searches for one question, and messages of one search. Stored with the turn: see `OUTCOME_BYTES`. */
const MAX_SEARCHES = 4;
const MAX_RESULTS = 5;
const MAX_QUERY_LENGTH = 400;
const MAX_TITLE_LENGTH = 80;
const MAX_TEXT_LENGTH = 1_200;
const MAX_URL_LENGTH = 400;

const argumentsSchema = v.object({
  query: v.pipe(
    v.string(),
    v.transform((query) => visibleLine(query, MAX_QUERY_LENGTH)),
    v.minLength(1),
  ),
});

export type MessageSearchToolsConfig = {
  readonly platform: Pick<Platform, 'prepareMessageSearch'>;
  readonly log: Log;
};

/** Creates the source of the search in the messages of the workspace. */
export const createMessageSearchTools = ({ platform, log }: MessageSearchToolsConfig): ToolSource => ({
  names: (enabled) => enabled.filter((name) => name === MESSAGES_SOURCE),
  load: (_names, { turn, numbering, searchToken }) => {
    const search = platform.prepareMessageSearch(turn, searchToken);
    return Promise.resolve(search === undefined ? [] : [createTool(search, { turn, numbering, log })]);
  },
});

type Question = { readonly turn: TurnRef; readonly numbering: SourceNumbering; readonly log: Log };

function createTool(search: MessageSearch, question: Question): ChatTool {
  let searches = 0;
  return {
    source: MESSAGES_SOURCE,
    hasNumberedSources: true,
    definition: {
      name: 'search_messages',
      description:
        'Searches the messages that people wrote in the public channels of this workspace. Use it for what the team said, decided or shared. Use a few words ' +
        'that the messages may contain, in their language; search again with other words if nothing fits. Messages are numbered. Put the number in brackets ' +
        'behind each statement that you take from one, such as [2]; people see channel, date and link of the numbers that you write. Messages may be outdated ' +
        'or wrong: say when something was written if it matters. If no message answers the question, say that nothing was found.',
      parameters: {
        type: 'object',
        properties: { query: { type: 'string', description: 'A few words' } },
        required: ['query'],
      },
    },
    prepare: (args, locale) => {
      const parsed = v.safeParse(argumentsSchema, args);
      if (!parsed.success) throw new ToolError(`“query” has to be 1 to ${MAX_QUERY_LENGTH} characters.`);
      const { query } = parsed.output;
      return {
        title: localize(locale, 'answers.messages.title', { query: visibleText(query, MAX_TITLE_LENGTH) }),
        status: ['answers.status.searching-messages'],
        run: async (signal) => {
          searches += 1;
          if (searches > MAX_SEARCHES)
            throw new ToolError(
              `You have searched ${MAX_SEARCHES} times. Answer with what you have.`,
              localize(locale, 'answers.search.too-many'),
            );
          const hits = await search(query, signal).catch((error: unknown) => {
            throw error instanceof MessageSearchError ? toToolError(error, locale, question) : error;
          });
          // The question has the words of its query, and is no answer.
          const others = hits.filter(({ id }) => id !== question.turn.message);
          return toResult(query, others, question.numbering, locale);
        },
      };
    },
  };
}

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

/**
 * Numbers the messages. What is stored of them is channel, date and link: neither text nor author, so that nothing of their authors stays
 * with the question of somebody else.
 */
function toResult(
  query: string,
  hits: readonly MessageHit[],
  numbering: SourceNumbering,
  locale: Locale,
): ToolResult {
  const usable = hits.flatMap((hit) => {
    const text = visibleText(hit.text, MAX_TEXT_LENGTH).trim();
    const isCitable = hit.link.length <= MAX_URL_LENGTH && URL.parse(hit.link)?.protocol === 'https:';
    return text !== '' && isCitable ? [{ ...hit, text }] : [];
  });
  const numbered = usable.slice(0, MAX_RESULTS).map((hit) => {
    numbering.last += 1;
    const sentAt = new Date(hit.at).toISOString();
    const title = `${visibleText(hit.channel, MAX_TITLE_LENGTH)} · ${sentAt.slice(0, 10)}`;
    return { ...hit, number: numbering.last, title, sentAt };
  });
  const search: SearchRecord = {
    query,
    results: numbered.map(({ number, title, link }) => ({ number, title, url: link })),
  };
  const summary = localize(locale, 'answers.search.found', { count: numbered.length });
  if (numbered.length === 0)
    return { content: 'No message was found. Try once more with other words, or say so.', summary, search };
  const content = numbered
    .map(
      ({ number, channel, author, sentAt, text }) =>
        `[${number}] #${visibleText(channel, MAX_TITLE_LENGTH)}, ${sentAt}, ${visibleText(author, MAX_TITLE_LENGTH)}:\n${text}`,
    )
    .join('\n\n');
  return { content, summary, search };
}
