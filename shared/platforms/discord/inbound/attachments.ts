import { type Attachment, isAddressTooLong } from '../../../domain/index.ts';
import { readList, readNumber, readString } from '../api/json-path.ts';

/** Discord allows ten per message. The limits keep queue messages small. */
const MAX = 20;
const MAX_NAME_LENGTH = 200;
const CONTROL = /\p{Cc}+/gu;
/** A file name without its ending. */
const STEM = /.*?(?=\.\w+$|$)/;

/**
 * Reads the attachments of a message and of the message that it forwards, except its recordings: Discord does not tell who speaks there, and they may
 * have opted out of transcription. The id of each is its URL, which Discord accepts for about a day; later the message has to be read again for a
 * fresh one. Never throws.
 */
export function parseAttachments(message: unknown): Attachment[] {
  // A file without a type may be a recording. The pattern of `isRecording` does not fit into the bundle of the front.
  const forwarded = readList(message, 'message_snapshots')
    .flatMap((one) => readList(one, 'message', 'attachments'))
    .flatMap(parseAttachment)
    .filter((file) => !/^(audio|video|$)/.test(file.mimetype));
  return [...readList(message, 'attachments').flatMap(parseAttachment), ...forwarded].slice(0, MAX);
}

/** Reads one attachment; empty without a usable URL. Never throws. */
export function parseAttachment(entry: unknown): Attachment[] {
  const url = readString(entry, 'url');
  if (!url || isAddressTooLong(url)) return [];
  const seconds = readNumber(entry, 'duration_secs');
  return [
    {
      id: url,
      name: cleanName(readFileName(entry)),
      mimetype: cleanName(readString(entry, 'content_type')),
      bytes: Math.max(0, Math.floor(readNumber(entry, 'size') ?? 0)),
      ...(seconds && { ms: Math.ceil(seconds * 1_000) }),
    },
  ];
}

/**
 * The name of a file. Discord keeps only ASCII in `filename`, or a random name, and then has the original without its ending in `title`:
 * docs:resources/message#attachment-object, discord-api-docs#6945.
 */
export const readFileName = (file: unknown): string =>
  (readString(file, 'filename') ?? '').replace(STEM, (stem) => readString(file, 'title') || stem);

const cleanName = (text = ''): string => text.replace(CONTROL, ' ').trim().slice(0, MAX_NAME_LENGTH);
