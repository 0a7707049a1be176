import type { ChatContext } from '../context.ts';
import type { Attachment, PromptPart, TurnRef } from '../../domain/index.ts';
import { truncate, type FileContent } from '../../documents/index.ts';
import { type Locale, localize, type TextMessage } from '../../i18n/index.ts';
import {
  type FetchContext,
  type FetchedFile,
  fetchFiles,
  MAX_PICTURE_BYTES,
  MAX_PICTURES,
} from './fetch-files.ts';
import { italicNotice } from '../display/notices.ts';
import type { MemoryPermit } from '../model/memory-permit.ts';
import type { ModelFacts } from '../../ports/index.ts';
import type { AttachedFile } from '../tools/history-tools.ts';

const MB = 1024 * 1024;
/** Characters of one file, and of all, that go into the prompt. */
export const MAX_FILE_CHARACTERS = 20_000;
export const MAX_ALL_FILES_CHARACTERS = 40_000;
/** Files of one question. */
const MAX_FILES = 5;

/** What the files of a question come to. */
export type ReadAttachments = {
  /** The question with the words of the files, for the prompt and for the history alike. */
  readonly question: string;
  /** The pictures, for this prompt alone. */
  readonly images: readonly PromptPart[];
  /** The files that hold words, to be read on in. */
  readonly files: readonly AttachedFile[];
  /** What people are to know of what was left out, as one paragraph; empty if there is nothing. */
  readonly notice: string;
  /** Neither the person nor any file gives the model something to answer. */
  readonly nothing: boolean;
};

export type ReadAttachmentsContext = FetchContext & Pick<ChatContext, 'chat'>;

/** For whom files are read: `model` is the one that will be asked, if not the usual one; `locale` never rejects. */
export type ReadFor = {
  readonly model?: string | undefined;
  readonly locale: Promise<Locale>;
  /** What the files take of the memory; pictures take it until the room ends. */
  readonly room: MemoryPermit;
};

/**
 * Fetches the files of a question and reads them. A file that cannot be had or read is named, to the model and to
 * people, and the rest goes on. Rejects with what the room rejects with, else never.
 */
export async function readAttachments(
  turn: TurnRef,
  question: string,
  attachments: readonly Attachment[],
  context: ReadAttachmentsContext,
  { model, locale, room }: ReadFor,
): Promise<ReadAttachments> {
  const pile: AttachmentCollector = {
    parts: [],
    images: [],
    files: [],
    notices: [],
    room: MAX_ALL_FILES_CHARACTERS,
  };
  const taken = attachments.slice(0, MAX_FILES);
  const found = await fetchFiles(turn, taken, context, { room, nameOf });
  const seen = found.some(({ kind }) => kind === 'image') ? await context.chat.about?.(model) : undefined;
  for (const [i, one] of found.entries()) {
    add(pile, nameOf(taken[i]?.name ?? ''), one, seen, model ?? context.chat.model);
  }
  const left = attachments.length - taken.length;
  if (left > 0) pile.notices.push(['files.notice.more', { count: MAX_FILES, left }]);

  const useful = pile.files.length > 0 || pile.images.length > 0;
  return {
    question: [question, ...pile.parts].filter((part) => part !== '').join('\n\n'),
    images: pile.images,
    files: pile.files,
    notice: await noticeOf(pile.notices, locale),
    nothing: question.trim() === '' && !useful && !found.some(({ kind }) => kind === 'spoken'),
  };
}

async function noticeOf(notices: readonly TextMessage[], locale: Promise<Locale>): Promise<string> {
  if (notices.length === 0) return '';
  const told = await locale;
  return italicNotice(notices.map((one) => localize(told, ...one)).join(' '));
}

type AttachmentCollector = {
  readonly parts: string[];
  readonly images: PromptPart[];
  readonly files: AttachedFile[];
  readonly notices: TextMessage[];
  /** Characters that still go into the prompt. */
  room: number;
};

function add(
  pile: AttachmentCollector,
  name: string,
  found: FetchedFile,
  seen: ModelFacts | undefined,
  model: string | undefined,
): void {
  switch (found.kind) {
    case 'text':
      return addText(pile, name, found);
    case 'image':
      return addImage(pile, name, found, seen, model);
    case 'sound':
    case 'video':
      pile.parts.push(`Attached ${found.kind} “${name}”, which you cannot take in.`);
      pile.notices.push(['files.notice.not-heard', { name }]);
      return;
    case 'spoken':
      pile.parts.push(found.text);
      return;
    case 'unreadable': {
      const why: TextMessage = [`files.unreadable.${found.reason}`, { name, kind: found.format ?? '' }];
      return leaveOut(pile, `Attached file “${name}” could not be read`, why);
    }
    case 'refused':
      return leaveOut(pile, `Attached file “${name}” could not be fetched`, found.reason);
  }
}

/** The model is told what people are. */
function leaveOut(pile: AttachmentCollector, what: string, why: TextMessage): void {
  pile.parts.push(`${what}. People are told: ${localize('en', ...why)}`);
  pile.notices.push(why);
}

function addText(
  pile: AttachmentCollector,
  name: string,
  { text, omitted: left = 0, pages }: Extract<FileContent, { kind: 'text' }>,
): void {
  const shown = truncate(text, Math.min(MAX_FILE_CHARACTERS, pile.room));
  pile.room -= shown.length;
  pile.files.push({ name, text, shown: shown.length });
  const all = text.length + left;
  const whole = shown.length === text.length && left === 0;
  const extent = `${whole ? '' : `the first ${number(shown.length)} of `}${number(all)} characters`;
  const more = pages ? `; only the first ${pages.read} of ${pages.all} pages were read` : '';
  // A fence longer than any in the file, so that nothing in it can end it.
  const longest = Math.max(2, ...(shown.match(/`+/gu) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  pile.parts.push(`Attached file “${name}”, ${extent}${more}:\n${fence}\n${shown}\n${fence}`);
  if (!whole) pile.notices.push(['files.notice.part', { name, shown: shown.length, all }]);
  if (pages) pile.notices.push(['files.notice.pages', { name, ...pages }]);
}

function addImage(
  pile: AttachmentCollector,
  name: string,
  { bytes, url }: Extract<FetchedFile, { kind: 'image' }>,
  seen: ModelFacts | undefined,
  model: string | undefined,
): void {
  const why = refusalOf(pile, { name, bytes }, seen, model);
  if (why !== undefined || url === undefined) {
    pile.parts.push(`Attached picture “${name}”, which you cannot see.`);
    if (why) pile.notices.push(why);
    return;
  }
  pile.parts.push(`Attached picture “${name}”.`);
  pile.images.push({ type: 'image', url });
}

/** Why a picture cannot be shown to the model. Where the upstream does not say what it takes, it is tried. */
function refusalOf(
  { images }: AttachmentCollector,
  { name, bytes }: { readonly name: string; readonly bytes: number },
  seen: ModelFacts | undefined,
  model = '',
): TextMessage | undefined {
  if (seen?.images === false) {
    const other = seen.seeing[0];
    return other === undefined
      ? ['files.notice.blind', { name, model }]
      : ['files.notice.blind-other', { name, model, other }];
  }
  const mb = MAX_PICTURE_BYTES / MB;
  if (bytes > MAX_PICTURE_BYTES) return ['files.notice.picture-large', { name, mb }];
  return images.length >= MAX_PICTURES ? ['files.notice.pictures', { name, count: MAX_PICTURES }] : undefined;
}

/** A name as one line that ends no quotation. */
function nameOf(name: string): string {
  const line = name.replaceAll(/[\p{Cc}\p{Cf}\s`“”]+/gu, ' ').trim();
  return truncate(line, 80) || 'file';
}

const number = (n: number): string => n.toLocaleString('en-US');
