import type { ChatContext } from '../context.ts';
import { type Attachment, isPicture, recordingKey, type TurnRef } from '../../domain/index.ts';
import { getTranscriptText } from '../../transcript/index.ts';
import {
  type FileContent,
  getMediaHint,
  MAX_PDF_MEMORY_BYTES,
  PDF_TIMEOUT_MS,
  readFileContent,
  type ReadPdf,
} from '../../documents/index.ts';
import { FileUnavailableError } from '../../platforms/ports/platform.ts';
import type { TextMessage } from '../../i18n/index.ts';
import { MemoryLimitError, type MemoryPermit } from '../model/memory-permit.ts';
import { errorName } from '../../utils/error-name.ts';

const MB = 1024 * 1024;
/** Bytes of one file. */
const MAX_FILE_BYTES = 10 * MB;
/** Pictures of one question, and bytes of each. */
export const MAX_PICTURES = 3;
export const MAX_PICTURE_BYTES = 5 * MB;

/**
 * How much memory a file takes while it is fetched and read, times its bytes: its chunks and the whole (2), and what is kept of its
 * text. Measured by `npm run bench -- memory`.
 */
const READ_FACTOR = 2.5;
/**
 * The same for a picture until its question is answered: the picture (1), as base64 in the prompt (4/3), in the JSON of the request (4/3) and in
 * what is sent (4/3).
 */
const PICTURE_FACTOR = 5;
/** How much longer a file may be than its message says: a canvas is handed out as a page, whose length nobody tells. */
const EXTRA_BYTES: Readonly<Record<Kind, number>> = { picture: 64 * 1024, pdf: 64 * 1024, other: 2 * MB };
/** Files that need no more than this together are fetched side by side, larger ones one after the other. */
const MAX_CONCURRENT_BYTES = 64 * MB;

/** What a file comes to. */
export type FetchedFile =
  | Exclude<FileContent, { readonly kind: 'image' }>
  /** `url` holds the picture, unless it is one too many or too large. */
  | { readonly kind: 'image'; readonly bytes: number; readonly url?: string | undefined }
  | { readonly kind: 'refused'; readonly reason: TextMessage }
  /** A recording that was written out. */
  | { readonly kind: 'spoken'; readonly text: string };

export type FetchContext = Pick<ChatContext, 'platform' | 'log' | 'pdf' | 'transcription'>;

type Kind = 'picture' | 'pdf' | 'other';
type FetchJob = {
  readonly turn: TurnRef;
  readonly context: FetchContext;
  readonly room: MemoryPermit;
  readonly nameOf: (name: string) => string;
  /** Of all PDFs of the question together. */
  readonly pdf: ReadPdf;
  readonly found: Map<Attachment, FetchedFile>;
};

/**
 * Fetches the files of a question and reads them, in their order. Each takes its room in memory first: texts and PDFs until they are read,
 * pictures until the room ends. None is asked for while another is held, except at once. Rejects with what the room rejects with, else never.
 */
export async function fetchFiles(
  turn: TurnRef,
  attachments: readonly Attachment[],
  context: FetchContext,
  { room, nameOf }: Pick<FetchJob, 'room' | 'nameOf'>,
): Promise<readonly FetchedFile[]> {
  const time = { remainingMs: PDF_TIMEOUT_MS };
  const { pdf } = context;
  const job: FetchJob = {
    turn,
    context,
    room,
    nameOf,
    pdf: (bytes) => pdf(bytes, time),
    found: new Map(),
  };
  await readTexts(
    attachments.filter((one) => kindOf(one) === 'other'),
    job,
  );
  // A file is what it holds, not what its name says: what was found to be another kind is fetched once more, with room for that.
  const pdfs = attachments.filter((one) => kindOf(one) === 'pdf' || isKind(job.found.get(one), 'pdf'));
  for (const one of pdfs) job.found.set(one, await fetchAlone(one, 'pdf', job));
  await fetchPictures(
    attachments.filter(
      (one) => (kindOf(one) === 'picture' && !getMediaHint(one)) || isKind(job.found.get(one), 'picture'),
    ),
    job,
  );
  return attachments.map((one) => job.found.get(one) ?? refused('files.refused.unreached', one, nameOf));
}

const kindOf = (attachment: Attachment): Kind => {
  if (isPicture(attachment)) return 'picture';
  return /pdf$/iu.test(attachment.mimetype) || /\.pdf$/iu.test(attachment.name) ? 'pdf' : 'other';
};

const isKind = (found: FetchedFile | undefined, kind: 'pdf' | 'picture'): boolean =>
  kind === 'pdf' ? found?.kind === 'unreadable' && found.reason === 'no-pdf' : found?.kind === 'image';

/** The most that is read of a file. */
const getReadLimit = ({ bytes }: Attachment, kind: Kind): number =>
  bytes > 0 ? Math.min(MAX_FILE_BYTES, bytes + EXTRA_BYTES[kind]) : MAX_FILE_BYTES;

function getMemoryBytes(one: Attachment, kind: Kind): number {
  const limit = getReadLimit(one, kind);
  if (kind === 'picture') return limit * PICTURE_FACTOR;
  // The thread that reads a PDF has a copy of its own.
  return limit * READ_FACTOR + (kind === 'pdf' ? MAX_PDF_MEMORY_BYTES + limit : 0);
}

/** The most memory that these files take together, in bytes; of what is heard only its words are read. */
export const getTotalMemoryBytes = (attachments: readonly Attachment[]): number =>
  attachments.reduce((sum, one) => sum + (getMediaHint(one) ? 0 : getMemoryBytes(one, kindOf(one))), 0);

async function readTexts(files: readonly Attachment[], job: FetchJob): Promise<void> {
  const all = getTotalMemoryBytes(files);
  if (all > MAX_CONCURRENT_BYTES) {
    for (const one of files) job.found.set(one, await fetchAlone(one, 'other', job));
    return;
  }
  const share = await job.room.take(all);
  const read = await Promise.all(files.map((one) => fetchFile(one, 'other', job)));
  for (const [i, one] of files.entries()) job.found.set(one, read[i] ?? { kind: 'sound' });
  share.release();
}

async function fetchAlone(one: Attachment, kind: Kind, job: FetchJob): Promise<FetchedFile> {
  const share = await job.room.take(getMemoryBytes(one, kind));
  try {
    return await fetchFile(one, kind, job);
  } finally {
    share.release();
  }
}

/** The room for all at once: a question that had to ask for more while it holds some could wait for one that does the same. */
async function fetchPictures(files: readonly Attachment[], job: FetchJob): Promise<void> {
  for (const one of files) job.found.set(one, { kind: 'image', bytes: one.bytes });
  const likely = files.filter(({ bytes }) => bytes <= MAX_PICTURE_BYTES);
  const first = likely.slice(0, MAX_PICTURES);
  const share = await job.room.take(first.reduce((sum, one) => sum + getMemoryBytes(one, 'picture'), 0));
  const read = await Promise.all(first.map((one) => fetchPicture(one, job)));
  // The others have the room of those that turned out to be none.
  let free = first.reduce((sum, one, i) => sum + (read[i] === 0 ? getMemoryBytes(one, 'picture') : 0), 0);
  let used = read.reduce((sum, bytes) => sum + bytes, 0);
  let pictures = read.filter((bytes) => bytes > 0).length;
  for (const one of likely.slice(MAX_PICTURES)) {
    if (pictures === MAX_PICTURES) break;
    if (getMemoryBytes(one, 'picture') > free) continue;
    const bytes = await fetchPicture(one, job);
    if (bytes === 0) continue;
    pictures += 1;
    used += bytes;
    free -= getMemoryBytes(one, 'picture');
  }
  share.shrink(used * PICTURE_FACTOR);
}

/** Resolves with how many bytes of the picture are held: none, if it is not to be shown. */
async function fetchPicture(one: Attachment, job: FetchJob): Promise<number> {
  const file = await fetchFile(one, 'picture', job);
  job.found.set(one, file);
  return file.kind === 'image' && file.url !== undefined ? file.bytes : 0;
}

async function fetchFile(attachment: Attachment, kind: Kind, job: FetchJob): Promise<FetchedFile> {
  const { turn, context, nameOf } = job;
  const sound = getMediaHint(attachment);
  // Recordings are heard before their message is asked: here their words are known, or never will be.
  if (sound) return (await readTranscript(turn, attachment, context)) ?? { kind: sound };
  if (attachment.bytes > MAX_FILE_BYTES) return refused('files.unreadable.too-large', attachment, nameOf);
  try {
    const bytes = await context.platform.downloadFile(turn, attachment, getReadLimit(attachment, kind));
    const read = await readFileContent(bytes, attachment, kind === 'pdf' ? job.pdf : undefined);
    if (read.kind !== 'image') return kind === 'picture' ? unlikePicture(read) : read;
    const size = read.bytes.byteLength;
    // There is room for it only where a picture was expected; else it is fetched again.
    const url = kind === 'picture' && size <= MAX_PICTURE_BYTES ? urlOf(read) : undefined;
    return { kind: 'image', bytes: size, url };
  } catch (error) {
    if (error instanceof MemoryLimitError) throw error;
    if (error instanceof FileUnavailableError) return { kind: 'refused', reason: error.why };
    context.log('file.fetch-failed', { error: errorName(error) });
    return refused('files.refused.unreached', attachment, nameOf);
  }
}

/** A PDF that calls itself a picture: there is no room for reading it while pictures are held. */
const unlikePicture = <T extends FileContent>(
  read: T,
): T | { readonly kind: 'unreadable'; readonly reason: 'broken' } =>
  read.kind === 'unreadable' && read.reason === 'no-pdf' ? { kind: 'unreadable', reason: 'broken' } : read;

const urlOf = ({ mimetype, bytes }: Extract<FileContent, { kind: 'image' }>): string =>
  `data:${mimetype};base64,${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')}`;

async function readTranscript(
  { thread, message }: TurnRef,
  attachment: Attachment,
  { transcription: { recordings } }: FetchContext,
): Promise<FetchedFile | undefined> {
  const ref = { thread, message, file: recordingKey(attachment) };
  const pieces = await recordings.listChunks(ref).catch(() => []);
  return pieces.length > 0 ? { kind: 'spoken', text: getTranscriptText(pieces) } : undefined;
}

const refused = (
  key: 'files.unreadable.too-large' | 'files.refused.unreached',
  { name }: Attachment,
  nameOf: FetchJob['nameOf'],
): FetchedFile => ({ kind: 'refused', reason: [key, { name: nameOf(name), mb: MAX_FILE_BYTES / MB }] });
