import type { Attachment, IncomingMessage } from './message.ts';

/**
 * Whether a file is a recording, by the metadata from the platform. That is enough to decide whether to
 * transcribe it.
 */
export function isRecording({
  mimetype,
  name,
}: {
  readonly mimetype: string;
  readonly name: string;
}): boolean {
  if (/^(?:audio|video)\//u.test(mimetype)) return true;
  // Slack leaves the type of some clips empty.
  return mimetype === '' && /\.(?:ogg|oga|opus|webm|m4a|mp4|mov|aac|mp3|flac|wav)$/iu.test(name);
}

/**
 * A stable key for a recording. Discord identifies files by URLs that expire; the number in the URL is stable.
 */
export const recordingKey = ({ id }: Pick<Attachment, 'id'>): string =>
  /attachments\/\d+\/(\d+)\//u.exec(id)?.[1] ?? id;

/** The address of a file may become part of a sort key, which has at most 1,024 bytes. Discord's have about 300. */
const MAX_ADDRESS_BYTES = 900;

/** Whether an address is too long for a key of the table. */
export const isAddressTooLong = (url: string): boolean => Buffer.byteLength(url) > MAX_ADDRESS_BYTES;

/** Splits the attachments of a message into recordings and other files. */
export function splitRecordings({ attachments }: Pick<IncomingMessage, 'attachments'>) {
  return {
    recordings: attachments.filter(isRecording),
    others: attachments.filter((one) => !isRecording(one)),
  };
}
