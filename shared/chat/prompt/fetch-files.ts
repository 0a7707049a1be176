import type { ChatContext } from '../context.ts';
import {
  type Attachment,
  isPicture,
  type MediaPart,
  recordingKey,
  type TurnRef,
} from '../../domain/index.ts';
import { getTranscriptText } from '../../transcript/index.ts';
import {
  type FileContent,
  getMediaHint,
  MAX_PDF_MEMORY_BYTES,
  PDF_TIMEOUT_MS,
  readFileContent,
  type ReadPdf,
} from '../../documents/index.ts';
import { FileUnavailableError } from '../../platforms/ports/index.ts';
import type { TextMessage } from '../../i18n/index.ts';
import { MemoryLimitError, type MemoryPermit } from '../../runtime/index.ts';
import { getErrorFacts } from '../../utils/index.ts';

const MB = 1024 * 1024;
/** Largest file. */
const MAX_FILE_BYTES = 10 * MB;
/** Limits of the pictures of one question. */
export const MAX_PICTURES = 3;
export const MAX_PICTURE_BYTES = 5 * MB;
/** Limits of the recordings and films of one question that are sent to a model. */
export const MAX_RECORDING_BYTES = 10 * MB;
const MAX_RECORDINGS = 1;

/**
 * Memory per byte of a file while it is downloaded and read: its chunks and the whole (2), and its text. Measured by
 * `npm run bench -- memory`.
 */
const READ_FACTOR = 2.5;
/**
 * The same for a picture until its question is answered: the picture (1), base64 in the prompt (4/3), in the request JSON
 * (4/3) and in the sent body (4/3).
 */
const PICTURE_FACTOR = 5;
/** Tolerated bytes over the stated size: a canvas is downloaded as a page of unknown size. */
const EXTRA_BYTES: Readonly<Record<Kind, number>> = { picture: 64 * 1024, pdf: 64 * 1024, other: 2 * MB };
/** Files within this total are downloaded concurrently, larger ones one after the other. */
const MAX_CONCURRENT_BYTES = 64 * MB;

/** The content of a file, or why there is none. */
export type FetchedFile =
  | Exclude<FileContent, { readonly kind: 'image' }>
  /** `url`: the picture as a data URL; absent if there are too many or it is too large. */
  | { readonly kind: 'image'; readonly bytes: number; readonly url?: string | undefined }
  | { readonly kind: 'refused'; readonly reason: TextMessage }
  /** A recording or film for a model that accepts it; without `part` if it is too large or one too many. */
  | { readonly kind: 'media'; readonly media: 'sound' | 'video'; readonly part?: MediaPart | undefined }
  /** The question contains the transcript already. */
  | { readonly kind: 'transcribed' }
  /** A transcribed recording. */
  | { readonly kind: 'spoken'; readonly text: string };

export type FetchContext = Pick<ChatContext, 'platform' | 'log' | 'pdf' | 'transcription'>;

type Kind = 'picture' | 'pdf' | 'other';
/** Which recordings the model accepts. */
export type AcceptedMedia = { readonly sound: boolean; readonly video: boolean };

type FetchJob = {
  readonly accepted: AcceptedMedia;
  readonly turn: TurnRef;
  readonly context: FetchContext;
  readonly memoryPermit: MemoryPermit;
  readonly nameOf: (name: string) => string;
  /** The time limit is shared by all PDFs of the question. */
  readonly pdf: ReadPdf;
  readonly files: Map<Attachment, FetchedFile>;
};

/**
 * Downloads and reads the files of a question. Results are in the order of the attachments. Each file reserves memory first:
 * texts and PDFs until they are read, pictures until the permit ends. Reservations never overlap, to avoid deadlocks.
 * Rejects only with the errors of the memory permit.
 */
export async function fetchFiles(
  turn: TurnRef,
  attachments: readonly Attachment[],
  context: FetchContext,
  { memoryPermit, nameOf, accepted }: Pick<FetchJob, 'memoryPermit' | 'nameOf' | 'accepted'>,
): Promise<readonly FetchedFile[]> {
  const time = { remainingMs: PDF_TIMEOUT_MS };
  const { pdf } = context;
  const job: FetchJob = {
    turn,
    context,
    memoryPermit,
    nameOf,
    accepted,
    pdf: (bytes) => pdf(bytes, time),
    files: new Map(),
  };
  const isForModel = (one: Attachment): boolean => {
    const hint = getMediaHint(one);
    return hint !== undefined && accepted[hint];
  };
  const recordings = attachments.filter(isForModel);
  await readTexts(
    attachments.filter((one) => getFileKind(one) === 'other' && !isForModel(one)),
    job,
  );
  // The content decides the kind, not the name: a file of another kind is downloaded again with the memory for that kind.
  const pdfs = attachments.filter((one) => getFileKind(one) === 'pdf' || isKind(job.files.get(one), 'pdf'));
  for (const one of pdfs) job.files.set(one, await fetchAlone(one, 'pdf', job));
  await fetchMedia(
    attachments.filter(
      (one) =>
        (getFileKind(one) === 'picture' && !getMediaHint(one)) || isKind(job.files.get(one), 'picture'),
    ),
    recordings,
    job,
  );
  return attachments.map((one) => job.files.get(one) ?? refuseFile('files.refused.unreached', one, nameOf));
}

const getFileKind = (attachment: Attachment): Kind => {
  if (isPicture(attachment)) return 'picture';
  return /pdf$/iu.test(attachment.mimetype) || /\.pdf$/iu.test(attachment.name) ? 'pdf' : 'other';
};

const isKind = (file: FetchedFile | undefined, kind: 'pdf' | 'picture'): boolean =>
  kind === 'pdf' ? file?.kind === 'unreadable' && file.reason === 'no-pdf' : file?.kind === 'image';

/** Returns the most bytes to read of a file. */
const getReadLimit = ({ bytes }: Attachment, kind: Kind): number =>
  bytes > 0 ? Math.min(MAX_FILE_BYTES, bytes + EXTRA_BYTES[kind]) : MAX_FILE_BYTES;

function getMemoryBytes(one: Attachment, kind: Kind): number {
  const limit = getReadLimit(one, kind);
  if (kind === 'picture') return limit * PICTURE_FACTOR;
  // The PDF thread has its own copy.
  return limit * READ_FACTOR + (kind === 'pdf' ? MAX_PDF_MEMORY_BYTES + limit : 0);
}

/** Returns the most memory of these files, in bytes. Recordings count as zero: only their transcript is read. */
export const getTotalMemoryBytes = (attachments: readonly Attachment[]): number =>
  attachments.reduce((sum, one) => sum + (getMediaHint(one) ? 0 : getMemoryBytes(one, getFileKind(one))), 0);

async function readTexts(files: readonly Attachment[], job: FetchJob): Promise<void> {
  const all = getTotalMemoryBytes(files);
  if (all > MAX_CONCURRENT_BYTES) {
    for (const one of files) job.files.set(one, await fetchAlone(one, 'other', job));
    return;
  }
  const share = await job.memoryPermit.reserve(all);
  await Promise.all(files.map(async (one) => job.files.set(one, await fetchFile(one, 'other', job))));
  share.release();
}

async function fetchAlone(one: Attachment, kind: Kind, job: FetchJob): Promise<FetchedFile> {
  const share = await job.memoryPermit.reserve(getMemoryBytes(one, kind));
  try {
    return await fetchFile(one, kind, job);
  } finally {
    share.release();
  }
}

/**
 * Fetches pictures, and recordings for a model that accepts them. Reserves the memory for all of them at once: two questions that
 * each hold some and wait for more would deadlock.
 */
async function fetchMedia(
  files: readonly Attachment[],
  recordings: readonly Attachment[],
  job: FetchJob,
): Promise<void> {
  for (const one of files) job.files.set(one, { kind: 'image', bytes: one.bytes });
  const likely = files.filter(({ bytes }) => bytes <= MAX_PICTURE_BYTES);
  const first = likely.slice(0, MAX_PICTURES);
  for (const one of recordings) job.files.set(one, { kind: 'media', media: getMediaKind(one) });
  const sent = recordings.filter(({ bytes }) => bytes <= MAX_RECORDING_BYTES).slice(0, MAX_RECORDINGS);
  const share = await job.memoryPermit.reserve(
    [...first, ...sent].reduce((sum, one) => sum + getMemoryBytes(one, 'picture'), 0),
  );
  const recorded = await Promise.all(sent.map((one) => fetchRecording(one, job)));
  const read = await Promise.all(first.map((one) => fetchPicture(one, job)));
  // Other pictures can use the memory of files that are no pictures.
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
  used += recorded.reduce((sum, bytes) => sum + bytes, 0);
  share.shrink(used * PICTURE_FACTOR);
}

/** Downloads a recording for the model. Returns its bytes in memory; 0 if it is not usable. */
async function fetchRecording(one: Attachment, { turn, context, nameOf, files }: FetchJob): Promise<number> {
  try {
    const bytes = await context.platform.downloadFile(turn, one, getReadLimit(one, 'picture'));
    files.set(one, { kind: 'media', media: getMediaKind(one), part: toMediaPart(one, bytes) });
    return bytes.byteLength;
  } catch (error) {
    const isRefused = error instanceof FileUnavailableError;
    if (!isRefused) context.log('file.fetch-failed', getErrorFacts(error));
    const file = isRefused
      ? ({ kind: 'refused', reason: error.why } as const)
      : refuseFile('files.refused.unreached', one, nameOf);
    files.set(one, file);
    return 0;
  }
}

const getMediaKind = (recording: Attachment): 'sound' | 'video' =>
  getMediaHint(recording) === 'sound' ? 'sound' : 'video';

function toMediaPart(recording: Attachment, bytes: Uint8Array): MediaPart {
  const { mimetype, name } = recording;
  if (getMediaKind(recording) === 'video')
    return { type: 'video', url: dataUrl(mimetype.startsWith('video/') ? mimetype : 'video/mp4', bytes) };
  if (/\.wav$/iu.test(name)) return { type: 'input-audio', base64: toBase64(bytes), format: 'wav' };
  if (/\.mp3$/iu.test(name)) return { type: 'input-audio', base64: toBase64(bytes), format: 'mp3' };
  // Slack labels its voice clips, which are M4A, as videos.
  return { type: 'audio', url: dataUrl(mimetype.startsWith('audio/') ? mimetype : 'audio/mp4', bytes) };
}

const dataUrl = (mimetype: string, bytes: Uint8Array): string => `data:${mimetype};base64,${toBase64(bytes)}`;

/** Without a copy of the bytes: the memory of the question allows for none. */
const toBase64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');

/** Downloads a picture. Returns its bytes in memory; 0 if it is not usable. */
async function fetchPicture(one: Attachment, job: FetchJob): Promise<number> {
  const file = await fetchFile(one, 'picture', job);
  job.files.set(one, file);
  return file.kind === 'image' && file.url !== undefined ? file.bytes : 0;
}

async function fetchFile(attachment: Attachment, kind: Kind, job: FetchJob): Promise<FetchedFile> {
  const { turn, context, nameOf } = job;
  const sound = getMediaHint(attachment);
  // Recordings are transcribed before their question is queued: a missing transcript will not arrive later.
  if (sound && attachment.isTranscribed) return { kind: 'transcribed' };
  if (sound) return (await readTranscript(turn, attachment, context)) ?? { kind: sound };
  if (attachment.bytes > MAX_FILE_BYTES) return refuseFile('files.unreadable.too-large', attachment, nameOf);
  try {
    const bytes = await context.platform.downloadFile(turn, attachment, getReadLimit(attachment, kind));
    const read = await readFileContent(bytes, attachment, kind === 'pdf' ? job.pdf : undefined);
    if (kind === 'picture' && read.kind === 'unreadable' && read.reason === 'no-pdf')
      return refuseFile('files.unreadable.named-as-picture', attachment, nameOf);
    if (read.kind !== 'image') return read;
    const size = read.bytes.byteLength;
    // Memory for it is reserved only if a picture was expected; otherwise it is downloaded again.
    const hasRoom = kind === 'picture' && size <= MAX_PICTURE_BYTES;
    const url = hasRoom ? dataUrl(read.mimetype, read.bytes) : undefined;
    return { kind: 'image', bytes: size, url };
  } catch (error) {
    if (error instanceof MemoryLimitError) throw error;
    if (error instanceof FileUnavailableError) return { kind: 'refused', reason: error.why };
    context.log('file.fetch-failed', getErrorFacts(error));
    return refuseFile('files.refused.unreached', attachment, nameOf);
  }
}

async function readTranscript(
  { thread, message }: TurnRef,
  attachment: Attachment,
  { transcription: { recordings } }: FetchContext,
): Promise<FetchedFile | undefined> {
  const ref = { thread, message, file: recordingKey(attachment) };
  const chunks = await recordings.listChunks(ref).catch(() => []);
  return chunks.length > 0 ? { kind: 'spoken', text: getTranscriptText(chunks) } : undefined;
}

const refuseFile = (
  key: 'files.unreadable.too-large' | 'files.unreadable.named-as-picture' | 'files.refused.unreached',
  { name }: Attachment,
  nameOf: FetchJob['nameOf'],
): FetchedFile => ({ kind: 'refused', reason: [key, { name: nameOf(name), mb: MAX_FILE_BYTES / MB }] });
