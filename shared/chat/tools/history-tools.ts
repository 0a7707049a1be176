import { type Locale, localize } from '../../i18n/index.ts';
import { type ChatTool, ToolError } from '../../ports/index.ts';
import { cutBeforePrivateData } from '../../private-data/index.ts';
import type { SettingsLayers } from '../../settings/rules/index.ts';
import { truncateText } from '../../utils/index.ts';

/** Searches older turns of this thread. */
export type ThreadRecall = (query: string) => Promise<readonly { question: string; answer: string }[]>;

/** A file of this turn: its text, and how many characters are in the prompt. */
export type AttachedFile = { readonly name: string; readonly text: string; readonly shownLength: number };

/** What a question has beside its prompt. */
type HistorySources = {
  /** Undefined if all turns are in the prompt. */
  readonly recall: ThreadRecall | undefined;
  readonly files: readonly AttachedFile[];
  /** Say what private data is masked: a file is not cut within it. */
  readonly layers: SettingsLayers;
};

/** Returns the history tools; none if everything is in the prompt. */
export function createHistoryTools({ recall, files, layers }: HistorySources): readonly ChatTool[] {
  const search = recall ? [searchThread(recall)] : [];
  return files.some(({ text, shownLength }) => shownLength < text.length)
    ? [...search, readMore(files, layers)]
    : search;
}

/** Most characters of one turn, and of all results. */
const MAX_TURN_CHARACTERS = 2_000;
const MAX_RESULT_CHARACTERS = 12_000;

function searchThread(recall: ThreadRecall): ChatTool {
  return {
    staysInside: true,
    definition: {
      name: 'search_thread',
      description:
        'Finds earlier questions and answers of this thread that the conversation above no longer holds. Give a few words that stood in them.',
      parameters: {
        type: 'object',
        properties: { query: { type: 'string', description: 'A few words' } },
        required: ['query'],
      },
    },
    prepare: ({ query }, locale) => {
      if (typeof query !== 'string' || query.trim() === '') throw new ToolError('“query” has to be words.');
      const words = query.trim().slice(0, 200);
      return {
        title: localize(locale, 'answers.tool.searching', { words: shortened(words) }),
        status: ['answers.status.searching'],
        run: async () => renderedTurn(await recall(words), locale),
      };
    },
  };
}

function renderedTurn(matches: readonly { question: string; answer: string }[], locale: Locale) {
  const summary = localize(locale, 'answers.tool.found', { count: matches.length });
  if (matches.length === 0) return { content: 'No earlier turn of this thread holds these words.', summary };
  const turns = matches.map(
    ({ question, answer }) => `Question: ${shortenTurnText(question)}\nAnswer: ${shortenTurnText(answer)}`,
  );
  return { content: turns.join('\n\n---\n\n').slice(0, MAX_RESULT_CHARACTERS).toWellFormed(), summary };
}

const shortenTurnText = (text: string): string => truncateText(text, MAX_TURN_CHARACTERS);

/** Most characters of a file per call. */
const MAX_READ_CHARACTERS = 12_000;

function readMore(files: readonly AttachedFile[], layers: SettingsLayers): ChatTool {
  const names = files.map(({ name }) => name);
  return {
    staysInside: true,
    definition: {
      name: 'read_file',
      description: `Reads on in an attached file, up to ${MAX_READ_CHARACTERS} characters at a time.`,
      parameters: {
        type: 'object',
        properties: {
          name: { type: 'string', enum: [...new Set(names)] },
          from: { type: 'integer', minimum: 0, description: 'The character to begin at, counted from 0' },
        },
        required: ['name'],
      },
    },
    prepare: ({ name, from }, locale) => {
      const file = files.find((one) => one.name === name) ?? (files.length === 1 ? files[0] : undefined);
      if (!file) throw new ToolError(`There is no such file. There are: ${names.join(', ')}.`);
      const start = from ?? file.shownLength;
      if (typeof start !== 'number' || !Number.isInteger(start) || start < 0) {
        throw new ToolError('“from” has to be a whole number, 0 or more.');
      }
      const { length } = file.text;
      if (start >= length) throw new ToolError(`The file has only ${length} characters.`);
      return {
        title: localize(locale, 'answers.tool.reading', { name: shortened(file.name) }),
        status: ['answers.status.reading'],
        run: () => Promise.resolve(readPortion(file.text, start, locale, layers)),
      };
    },
  };
}

function readPortion(text: string, start: number, locale: Locale, layers: SettingsLayers) {
  const limit = Math.min(text.length, start + MAX_READ_CHARACTERS);
  const end = Math.max(start + 1, cutBeforePrivateData(text, limit, layers));
  const rest =
    end < text.length ? `There is more: read on from ${end}.` : 'This is the end of what can be read.';
  return {
    content: `${text.slice(start, end).toWellFormed()}\n\n(Characters ${start} to ${end} of ${text.length}. ${rest})`,
    summary: localize(locale, 'answers.tool.portion', { from: start + 1, to: end, all: text.length }),
  };
}

/** In the title of a step. */
const MAX_WORDS_LENGTH = 60;
/** Shortens text of the model or a file name for a title. */
const shortened = (text: string): string => truncateText(text.replaceAll(/\s+/gu, ' '), MAX_WORDS_LENGTH);
