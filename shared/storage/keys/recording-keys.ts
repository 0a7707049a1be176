import {
  channelId,
  type MessageId,
  messageId,
  type Thread,
  threadKey,
  workspaceId,
  isPlatformName,
} from '../../domain/index.ts';
import type { Item } from './item-keys.ts';

/** One recording: a file of a message. */
export type RecordingRef = {
  readonly thread: Thread;
  readonly message: MessageId;
  /** See `recordingKey`. */
  readonly file: string;
};

const POINTER = 'VOICE#';

/** The range of sort keys of a message's recordings in the thread's partition. */
export const pointerRange = (message: MessageId): readonly [first: string, last: string] => [
  `${POINTER}${message}#`,
  `${POINTER}${message}#~`,
];
export const recordingPointerKey = ({ thread, message, file }: RecordingRef) => ({
  pk: { S: threadKey(thread) },
  sk: { S: `${POINTER}${message}#${file}` },
});
/** The key of the marker of a deleted message. */
export const deletionKey = ({ thread, message }: Omit<RecordingRef, 'file'>) => ({
  pk: { S: threadKey(thread) },
  sk: { S: `${POINTER}${message}` },
});
/** Returns the messages with the transcript, as stored in an item of a recording. */
export const readTranscriptMessages = (item: Item): MessageId[] => (item['shown']?.SS ?? []).map(messageId);

/** Returns the messages with the transcript of a recording, given its pointer; undefined for other items. */
export function readPostedTranscript(
  item: Item,
): { readonly thread: Thread; readonly messages: readonly MessageId[] } | undefined {
  const messages = readTranscriptMessages(item);
  const [platform, workspace = '', channel = '', root = ''] = (item['pk']?.S ?? '').split('#');
  if (messages.length === 0 || !isPlatformName(platform)) return undefined;
  const place = { workspace: workspaceId(workspace), channel: channelId(channel), root: messageId(root) };
  return { thread: { platform, ...place }, messages };
}

/**
 * Returns the location of a recording's items, given an item that represents all of them; undefined for chunks
 * and other items.
 */
export function getRecordingLocation(
  pk: string,
  sk: string,
): { readonly pk: string; readonly file: string } | undefined {
  if (pk.startsWith(POINTER)) return sk === 'FIRST' || sk.includes('#') ? undefined : { pk, file: sk };
  const [, message, file] = /^VOICE#([^#]+)#(.+)$/u.exec(sk) ?? [];
  const place = pk.slice(0, pk.lastIndexOf('#'));
  return message === undefined || file === undefined
    ? undefined
    : { pk: `${POINTER}${place}#${message}`, file };
}

export const channelPath = ({ platform, workspace, channel }: Thread): string =>
  `${platform}#${workspace}#${channel}`;
export const recordingPartition = ({ thread, message }: Omit<RecordingRef, 'file'>) => ({
  S: `VOICE#${channelPath(thread)}#${message}`,
});
export const chunkPrefix = ({ file }: RecordingRef, to: string | undefined): string =>
  to === undefined ? `${file}#P#` : `${file}#T#${to}#`;
export const spokenKey = ({ file }: RecordingRef, to: string): string => `${file}#S#${to}`;
/** The sort key of the speech progress of one interaction. */
export const speechProgressKey = (
  ref: RecordingRef,
  { to, interactionId }: { readonly to: string; readonly interactionId: string },
): string => `${spokenKey(ref, to)}#${interactionId}`;
