import type { TurnRef } from '../../../domain/index.ts';
import { type Locale, localize } from '../../../i18n/index.ts';
import {
  type AnswerContent,
  type AnswerMessage,
  type Layout,
  type MessageContent,
  formatFooterLine,
  formatSourceLines,
} from '../../live-answer/index.ts';
import {
  drawHeadings,
  drawTables,
  inCharacters,
  getSettledLength,
  type TableFile,
} from '../../markdown/index.ts';
import type { AnswerActions, Step } from '../../ports/index.ts';
import type { SentFile } from '../api/call.ts';
import type { Body, Messages } from '../posts/messages.ts';
import {
  type ButtonRow,
  renderClosingRows,
  DISCORD_LIMIT,
  renderHead,
  stopRows,
} from '../blocks/answer-components.ts';
import { PERMISSIONS } from '../lookup/permissions.ts';

/** Room for what closes a code fence, and for characters that Discord counts otherwise. */
const SPARE_LENGTH = 60;
/** While an answer is being written, its head may grow by this. */
const HEAD_GROWTH_LENGTH = 400;
/** Discord accepts ten files with a message. */
const MAX_FILES = 10;

export type DiscordLayout = Layout & {
  /** The words before tables and headings were drawn. */
  readonly markdown: string;
  /** Above the words of the first message: the question and the steps. */
  readonly head: string;
  /** Below the words of the last message. */
  readonly footer: string;
  /** Above the footer, if files of the answer could not be attached: the reason. */
  readonly fileNote: string;
  /** Above the footer, if a file contains the rest of the words. */
  readonly truncationNote: string;
  readonly components: readonly ButtonRow[];
  readonly files: readonly SentFile[];
};

/** How the messages of one answer are rendered. Plainer after each refusal of Discord's. */
export class DiscordRendering {
  /** How people get the files of the answer: beside its words or, where the bot may not attach files, otherwise. */
  files: 'attached' | 'direct-message' | 'left-out' = 'attached';
  /** Discord accepts buttons below the words. */
  hasComponents = true;
  /** Discord or the guild blocks what the answer says, shows or quotes: a notice takes its place. */
  isBlocked = false;
  readonly #turn: TurnRef;
  readonly #maxMessages: number;

  constructor(turn: TurnRef, maxMessages: number) {
    this.#turn = turn;
    this.#maxMessages = maxMessages;
  }

  layOut(
    answer: AnswerContent,
    { locale, quote: question }: Pick<Messages, 'locale' | 'quote'>,
  ): DiscordLayout {
    const {
      text: markdown,
      steps,
      isGrowing,
      actions,
    } = this.isBlocked ? blockedContent(answer, locale) : answer;
    const quote = this.isBlocked ? '' : question;
    const head = renderHead(steps, { locale, quote });
    const fileNote = isGrowing ? '' : this.#fileNote(locale);
    const footer = formatFooter(actions);
    const settled = isGrowing ? markdown.slice(0, getSettledLength(markdown)) : markdown;
    const { text, files } = drawTables(settled);
    const growth = isGrowing ? HEAD_GROWTH_LENGTH : 0;
    const beside = head.length + fileNote.length + footer.length + SPARE_LENGTH + growth;
    return {
      text: drawHeadings(text),
      limit: inCharacters(DISCORD_LIMIT - beside),
      maxMessages: this.files === 'left-out' ? Infinity : this.#maxMessages,
      markdown,
      head,
      footer,
      fileNote,
      truncationNote: `\n-# ${localize(locale, 'answers.discord.in-file')}`,
      components: isGrowing ? stopRows(this.#turn, locale) : createButtonRows(this.#turn, actions),
      files: isGrowing ? [] : [...reasoningFiles(steps), ...files.map(tableFile)],
    };
  }

  render({ index }: Pick<AnswerMessage, 'index'>, content: MessageContent<DiscordLayout>): Body {
    const { layout, isLast, isTruncated } = content;
    const words = (index === 0 ? layout.head : '') + content.text;
    if (!isLast) return { content: words, components: [], files: [] };
    const answerFile = isTruncated ? [textFile('answer.md', 'text/markdown', layout.markdown)] : [];
    const files = [...answerFile, ...layout.files].slice(0, MAX_FILES);
    const notes = (isTruncated ? layout.truncationNote : '') + (files.length > 0 ? layout.fileNote : '');
    return {
      content: words + notes + layout.footer,
      components: this.hasComponents ? layout.components : [],
      files: this.files === 'attached' ? files : [],
    };
  }

  #fileNote(locale: Locale): string {
    if (this.files === 'attached') return '';
    const permissions = PERMISSIONS.AttachFiles.name;
    return `\n-# ${localize(locale, `answers.discord.files.${this.files}`, { permissions })}`;
  }
}

/** The notice in place of an answer that is blocked, with its buttons. */
const blockedContent = ({ isGrowing, actions }: AnswerContent, locale: Locale): AnswerContent => ({
  text: `_${localize(locale, 'answers.discord.blocked')}_`,
  steps: [],
  isGrowing,
  actions: actions && { buttons: actions.buttons, steps: [] },
});

/** Most characters of the links of the sources: the rest of the 2,000 is for words. */
const MAX_SOURCES_LENGTH = 900;

/** The sources and the footer as small print. The angle brackets keep Discord from showing a preview, where messages have no flag for it. */
function formatFooter({ sources = [], footer }: Partial<AnswerActions> = {}): string {
  const links = formatSourceLines(sources, (words, url) => `[${words}](<${url}>)`, MAX_SOURCES_LENGTH);
  return [...links, ...(footer ? [formatFooterLine(footer)] : [])].map((line) => `\n-# ${line}`).join('');
}

/** Identifies all that a message shows beside its words. */
export const serializeFrame = ({ content, components, files }: Body): string =>
  JSON.stringify([content, components, files.map(({ name, content: bytes }) => [name, bytes.byteLength])]);

const createButtonRows = (turn: TurnRef, actions: AnswerActions | undefined): readonly ButtonRow[] =>
  actions ? renderClosingRows(turn, actions) : [];

/** The whole reasoning. The steps show its beginning. */
function reasoningFiles(steps: readonly Step[]): SentFile[] {
  const texts = steps.flatMap(({ file }) => file ?? []);
  return texts.length === 0 ? [] : [textFile('reasoning.md', 'text/markdown', texts.join('\n\n---\n\n'))];
}

const tableFile = ({ name, csv }: TableFile): SentFile => textFile(name, 'text/csv', csv);

const textFile = (name: string, type: string, text: string): SentFile => ({
  name,
  type: `${type}; charset=utf-8`,
  content: Buffer.from(text),
});
