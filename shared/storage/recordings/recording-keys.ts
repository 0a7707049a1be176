import {
  channelId,
  type MessageId,
  messageId,
  type Thread,
  threadKey,
  workspaceId,
  isPlatformName,
} from '../../domain/index.ts';
import type { Item } from '../turns/turn-keys.ts';

/** One recording: a file of a message. */
export type RecordingRef = {
  readonly thread: Thread;
  readonly message: MessageId;
  /** See `recordingKey`. */
  readonly file: string;
};

const POINTER = 'VOICE#';

/** Between these sort keys a thread's partition says which recordings a message has. */
export const pointersOf = (message: MessageId): readonly [first: string, last: string] => [
  `${POINTER}${message}#`,
  `${POINTER}${message}#~`,
];
export const pointerOf = ({ thread, message, file }: RecordingRef) => ({
  pk: { S: threadKey(thread) },
  sk: { S: `${POINTER}${message}#${file}` },
});
/** Where it is said that a message with recordings is gone. */
export const goneOf = ({ thread, message }: Omit<RecordingRef, 'file'>) => ({
  pk: { S: threadKey(thread) },
  sk: { S: `${POINTER}${message}` },
});
export const messagesIn = (item: Item): MessageId[] => (item['shown']?.SS ?? []).map(messageId);

/** Which messages hold the words of a recording, given the item that says that there is one; undefined for all else. */
export function shownAt(
  item: Item,
): { readonly thread: Thread; readonly messages: readonly MessageId[] } | undefined {
  const messages = messagesIn(item);
  const [platform, workspace = '', channel = '', root = ''] = (item['pk']?.S ?? '').split('#');
  if (messages.length === 0 || !isPlatformName(platform)) return undefined;
  const place = { workspace: workspaceId(workspace), channel: channelId(channel), root: messageId(root) };
  return { thread: { platform, ...place }, messages };
}

/** Where the items of a recording lie, given one that stands for all of them; undefined for pieces and all else. */
export function recordingAt(
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

export const placeOf = ({ platform, workspace, channel }: Thread): string =>
  `${platform}#${workspace}#${channel}`;
export const partitionOf = ({ thread, message }: Omit<RecordingRef, 'file'>) => ({
  S: `VOICE#${placeOf(thread)}#${message}`,
});
export const prefixOf = ({ file }: RecordingRef, to: string | undefined): string =>
  to === undefined ? `${file}#P#` : `${file}#T#${to}#`;
export const spokenName = ({ file }: RecordingRef, to: string): string => `${file}#S#${to}`;
/** Where it is kept how far it is spoken for one call. */
export const speechProgressName = (
  ref: RecordingRef,
  { to, call }: { readonly to: string; readonly call: string },
): string => `${spokenName(ref, to)}#${call}`;
