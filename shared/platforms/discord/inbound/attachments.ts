import { type Attachment, isAddressTooLong } from '../../../domain/index.ts';
import { at, listAt, numberAt, textAt } from '../api/json-path.ts';

/** Discord allows ten per message. The limits keep queue messages small. */
const MAX = 20;
const MAX_NAME_LENGTH = 200;
const CONTROL = /\p{Cc}+/gu;

/**
 * Reads the attachments of a message and of the message that it forwards, except its recordings: Discord does not tell who speaks there, and they may
 * have opted out of transcription. The id of each is its URL, which Discord accepts for about a day; later the message has to be read again for a
 * fresh one. Never throws.
 */
export function attachmentsOf(message: unknown): Attachment[] {
  // A file without a type may be a recording. The pattern of `isRecording` does not fit into the bundle of the front.
  const forwarded = listAt(message, 'message_snapshots')
    .flatMap((one) => listAt(one, 'message', 'attachments'))
    .flatMap(attachmentOf)
    .filter((file) => !/^(audio|video|$)/.test(file.mimetype));
  return [...listAt(message, 'attachments').flatMap(attachmentOf), ...forwarded].slice(0, MAX);
}

/** Reads an attachment of an interaction by its id in `resolved`. */
export function resolvedAttachment(data: unknown, id: string): Attachment[] {
  return attachmentOf(at(data, 'resolved', 'attachments', id));
}

function attachmentOf(entry: unknown): Attachment[] {
  const url = textAt(entry, 'url');
  if (url === undefined || isAddressTooLong(url)) return [];
  const bytes = Math.max(0, Math.floor(numberAt(entry, 'size') ?? 0));
  const seconds = numberAt(entry, 'duration_secs');
  return [
    {
      id: url,
      name: short(textAt(entry, 'filename')),
      mimetype: short(textAt(entry, 'content_type')),
      bytes,
      ...(seconds && { ms: Math.ceil(seconds * 1_000) }),
    },
  ];
}

const short = (text = ''): string => text.replace(CONTROL, ' ').trim().slice(0, MAX_NAME_LENGTH);
