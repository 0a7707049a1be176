import type { ChatContext } from '../context.ts';
import {
  type Attachment,
  isPicture,
  type PromptPart,
  type TurnRef,
  lacksMetadata,
  type Thread,
} from '../../domain/index.ts';
import { getMediaHint, truncate, type FileContent } from '../../documents/index.ts';
import { type Locale, localize, type TextMessage } from '../../i18n/index.ts';
import {
  type FetchContext,
  type FetchedFile,
  fetchFiles,
  MAX_PICTURE_BYTES,
  MAX_PICTURES,
  MAX_RECORDING_BYTES,
} from './fetch-files.ts';
import { cutBeforePrivateData } from '../../private-data/index.ts';
import type { SettingsLayers } from '../../settings/rules/index.ts';
import { formatNotice } from '../display/notices.ts';
import type { MemoryPermit } from '../../runtime/index.ts';
import type { ModelFacts } from '../../ports/index.ts';
import type { AttachedFile } from '../tools/history-tools.ts';
import type { Platform } from '../../platforms/ports/index.ts';

const MB = 1024 * 1024;
/** Most characters of one file, and of all files, in the prompt. */
export const MAX_FILE_CHARACTERS = 20_000;
export const MAX_ALL_FILES_CHARACTERS = 40_000;
/** Most files of one question. */
const MAX_FILES = 5;

/** The content of the files of a question. */
export type ReadAttachments = {
  /** The question with the text of the files, for the prompt and the history. */
  readonly question: string;
  /** The pictures, for this prompt only. */
  readonly images: readonly PromptPart[];
  /** The text files, for the tool that reads more of them. */
  readonly files: readonly AttachedFile[];
  /** A notice about what was left out, as one paragraph; empty for nothing. */
  readonly notice: string;
  /** Whether neither the text nor the files contain anything to answer. */
  readonly isEmpty: boolean;
};

export type ReadAttachmentsContext = FetchContext & Pick<ChatContext, 'chat' | 'settings'>;

/** `model`: the requested model, if not the default; `locale` never rejects. */
export type ReadOptions = {
  /** Files of an earlier answer to the question, whose text it has already: only their pictures and recordings are read. */
  readonly earlier?: readonly Attachment[] | undefined;
  readonly model?: string | undefined;
  readonly locale: Promise<Locale>;
  /** The memory permit of the files; pictures hold it until it ends. */
  readonly memoryPermit: MemoryPermit;
};

/**
 * Downloads and reads the files of a question. A file that fails is reported to the model and to people. Rejects only with
 * the errors of the memory permit.
 */
export async function readAttachments(
  turn: TurnRef,
  question: string,
  attachments: readonly Attachment[],
  context: ReadAttachmentsContext,
  { model, locale, memoryPermit, earlier = [] }: ReadOptions,
): Promise<ReadAttachments> {
  const collector: AttachmentCollector = {
    parts: [],
    images: [],
    files: [],
    notices: [],
    room: MAX_ALL_FILES_CHARACTERS,
    layers: context.settings.layers,
  };
  const newFiles = attachments.slice(0, MAX_FILES);
  // One reservation of memory for both: see `MemoryPermit`.
  const accepted = [...newFiles, ...earlier];
  const knownFacts = accepted.some((one) => isPicture(one) || getMediaHint(one) !== undefined)
    ? await context.chat.modelFacts(model)
    : undefined;
  const fetchedFiles = await fetchFiles(turn, accepted, context, {
    memoryPermit,
    nameOf: cleanFileName,
    accepted: { sound: knownFacts?.audio === true, video: knownFacts?.video === true },
  });
  // Some files turn out to be pictures only when they are read.
  const facts =
    knownFacts ??
    (fetchedFiles.some(({ kind }) => kind === 'image') ? await context.chat.modelFacts(model) : undefined);
  const earlierCollector = { ...collector, parts: [], files: [] };
  for (const [i, file] of fetchedFiles.entries()) {
    const name = cleanFileName(accepted[i]?.name ?? '');
    add(i < newFiles.length ? collector : earlierCollector, name, file, facts, model ?? context.chat.model);
  }
  const left = attachments.length - newFiles.length;
  if (left > 0) collector.notices.push(['files.notice.more', { count: MAX_FILES, left }]);

  const hasContent = collector.files.length > 0 || collector.images.length > 0;
  return {
    question: [question, ...collector.parts].filter((part) => part !== '').join('\n\n'),
    images: collector.images,
    files: collector.files,
    notice: await renderNotice(collector.notices, locale),
    isEmpty:
      question.trim() === '' &&
      !hasContent &&
      !fetchedFiles.some(({ kind }) => kind === 'spoken' || kind === 'transcribed'),
  };
}

async function renderNotice(notices: readonly TextMessage[], locale: Promise<Locale>): Promise<string> {
  if (notices.length === 0) return '';
  const resolvedLocale = await locale;
  return formatNotice(notices.map((one) => localize(resolvedLocale, ...one)).join(' '));
}

type AttachmentCollector = {
  readonly parts: string[];
  readonly images: PromptPart[];
  readonly files: AttachedFile[];
  readonly notices: TextMessage[];
  /** Remaining characters for the prompt. */
  room: number;
  readonly layers: SettingsLayers;
};

/** Adds a file to what the model and people get. `facts` are those of the model, `model` its name. */
function add(
  collector: AttachmentCollector,
  name: string,
  file: FetchedFile,
  facts: ModelFacts | undefined,
  model: string | undefined,
): void {
  switch (file.kind) {
    case 'text':
      return addText(collector, name, file);
    case 'image':
      return addImage(collector, name, file, facts, model);
    case 'sound':
    case 'video':
      collector.parts.push(`Attached ${file.kind} “${name}”, which you cannot take in.`);
      collector.notices.push(['files.notice.not-heard', { name }]);
      return;
    case 'media':
      return addRecording(collector, name, file);
    case 'transcribed':
      return;
    case 'spoken':
      collector.parts.push(file.text);
      return;
    case 'unreadable': {
      const why: TextMessage = [`files.unreadable.${file.reason}`, { name, kind: file.format ?? '' }];
      return leaveOut(collector, `Attached file “${name}” could not be read`, why);
    }
    case 'refused':
      return leaveOut(collector, `Attached file “${name}” could not be fetched`, file.reason);
  }
}

/** Says in the prompt and in a notice that a file is left out, and why. */
function leaveOut(collector: AttachmentCollector, what: string, why: TextMessage): void {
  collector.parts.push(`${what}. People are told: ${localize('en', ...why)}`);
  collector.notices.push(why);
}

function addText(
  collector: AttachmentCollector,
  name: string,
  { text, omitted: left = 0, pages }: Extract<FileContent, { kind: 'text' }>,
): void {
  const end = Math.min(MAX_FILE_CHARACTERS, collector.room);
  const excerpt = truncate(text, cutBeforePrivateData(text, end, collector.layers));
  collector.room -= excerpt.length;
  collector.files.push({ name, text, shownLength: excerpt.length });
  const all = text.length + left;
  const isWhole = excerpt.length === text.length && left === 0;
  const extent = `${isWhole ? '' : `the first ${number(excerpt.length)} of `}${number(all)} characters`;
  const more = pages ? `; only the first ${pages.read} of ${pages.all} pages were read` : '';
  // The fence is longer than any in the file, so that the content cannot close it.
  const longest = Math.max(2, ...(excerpt.match(/`+/gu) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  collector.parts.push(`Attached file “${name}”, ${extent}${more}:\n${fence}\n${excerpt}\n${fence}`);
  if (!isWhole) collector.notices.push(['files.notice.part', { name, shown: excerpt.length, all }]);
  if (pages) collector.notices.push(['files.notice.pages', { name, ...pages }]);
}

function addRecording(
  collector: AttachmentCollector,
  name: string,
  { media, part }: Extract<FetchedFile, { kind: 'media' }>,
): void {
  if (part === undefined) {
    collector.parts.push(`Attached ${media} “${name}”, which you cannot take in.`);
    collector.notices.push(['files.notice.recording-large', { name, mb: MAX_RECORDING_BYTES / MB }]);
    return;
  }
  collector.parts.push(`Attached ${media} “${name}”.`);
  collector.images.push(part);
}

function addImage(
  collector: AttachmentCollector,
  name: string,
  { bytes, url }: Extract<FetchedFile, { kind: 'image' }>,
  facts: ModelFacts | undefined,
  model: string | undefined,
): void {
  const why = findPictureRefusal(collector, { name, bytes }, facts, model);
  if (why !== undefined || url === undefined) {
    collector.parts.push(`Attached picture “${name}”, which you cannot see.`);
    // Without a reason, it did not fit into the reserved memory: the notice is that for too many pictures.
    collector.notices.push(why ?? ['files.notice.pictures', { name, count: MAX_PICTURES }]);
    return;
  }
  collector.parts.push(`Attached picture “${name}”.`);
  collector.images.push({ type: 'image', url });
}

/** Returns why a picture cannot be sent to the model. If the model's abilities are unknown, it is sent. */
function findPictureRefusal(
  { images }: AttachmentCollector,
  { name, bytes }: { readonly name: string; readonly bytes: number },
  facts: ModelFacts | undefined,
  model = '',
): TextMessage | undefined {
  if (facts?.images === false) {
    const other = facts.modelsWithImages[0];
    return other === undefined
      ? ['files.notice.blind', { name, model }]
      : ['files.notice.blind-other', { name, model, other }];
  }
  const mb = MAX_PICTURE_BYTES / MB;
  if (bytes > MAX_PICTURE_BYTES) return ['files.notice.picture-large', { name, mb }];
  const pictures = images.filter(({ type }) => type === 'image');
  return pictures.length >= MAX_PICTURES
    ? ['files.notice.pictures', { name, count: MAX_PICTURES }]
    : undefined;
}

/** Sanitizes a file name to one line without quotation marks. */
function cleanFileName(name: string): string {
  const line = name.replaceAll(/[\p{Cc}\p{Cf}\s`“”]+/gu, ' ').trim();
  return truncate(line, 80) || 'file';
}

const number = (n: number): string => n.toLocaleString('en-US');

/** Completes the attachments of a message that lack metadata with the platform's file info. Never rejects. */
export function resolveAttachments(
  place: Omit<Thread, 'root'>,
  attachments: readonly Attachment[],
  platform: Pick<Platform, 'resolveFile'>,
): Promise<Attachment[]> {
  return Promise.all(
    attachments.map(async (one) => (lacksMetadata(one) ? platform.resolveFile(place, one) : one)),
  );
}
