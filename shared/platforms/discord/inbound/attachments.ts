import { type Attachment, isAddressTooLong } from '../../../domain/index.ts';
import { readValue, readList, readNumber, readString } from '../api/json-path.ts';

/** Discord allows ten per message. The limits keep queue messages small. */
const MAX = 20;
const MAX_NAME_LENGTH = 200;
const CONTROL = /\p{Cc}+/gu;

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

/** Reads an attachment of an interaction by its id in `resolved`. */
export function parseResolvedAttachment(data: unknown, id: string): Attachment[] {
  return parseAttachment(readValue(data, 'resolved', 'attachments', id));
}

function parseAttachment(entry: unknown): Attachment[] {
  const url = readString(entry, 'url');
  if (url === undefined || isAddressTooLong(url)) return [];
  const bytes = Math.max(0, Math.floor(readNumber(entry, 'size') ?? 0));
  const seconds = readNumber(entry, 'duration_secs');
  return [
    {
      id: url,
      name: cleanName(readString(entry, 'filename')),
      mimetype: cleanName(readString(entry, 'content_type')),
      bytes,
      ...(seconds && { ms: Math.ceil(seconds * 1_000) }),
    },
  ];
}

const cleanName = (text = ''): string => text.replace(CONTROL, ' ').trim().slice(0, MAX_NAME_LENGTH);
