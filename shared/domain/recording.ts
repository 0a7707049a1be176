import type { Attachment, IncomingMessage } from './message.ts';

/** What the platform says of a file is a hint, and enough to know what is worth listening to. */
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

/** By which a recording is remembered. Discord's files are named by addresses that run out; a number in them stays. */
export const recordingName = ({ id }: Pick<Attachment, 'id'>): string =>
  /attachments\/\d+\/(\d+)\//u.exec(id)?.[1] ?? id;

/** The recordings of a message, and its other files. */
export function partRecordings({ attachments }: Pick<IncomingMessage, 'attachments'>) {
  return {
    recordings: attachments.filter(isRecording),
    others: attachments.filter((one) => !isRecording(one)),
  };
}
