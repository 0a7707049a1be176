import * as v from 'valibot';
import { type ChatEvent, isRecording, lacksMetadata, messageId, userId } from '../../../domain/index.ts';
import { parseAttachments } from './attachments.ts';
import { listMessageFiles } from './message-content.ts';
import {
  id,
  isBot,
  optionalTs,
  type EventInstallation,
  toThread,
  ts as moment,
} from '../api/payload-fields.ts';
import {
  type DropReason,
  findNoise,
  readMessage,
  type RawMessage,
  messageSchema,
  getLocation,
} from './message.ts';

const change = v.object({
  channel: id,
  channel_type: v.nullish(v.string()),
  ts: moment,
  message: messageSchema,
  previous_message: v.nullish(messageSchema),
});
const deletion = v.object({
  channel: id,
  deleted_ts: optionalTs,
  previous_message: v.nullish(messageSchema),
});
const stop = v.object({ channel: id, user: id, thread_ts: moment });

export type ParsedChange = ChatEvent | DropReason | undefined;

/**
 * Parses a `message_changed`: an edit of a person, or the tombstone of a deleted message that has replies. Slack also sends
 * it for link previews, reply counts and updates of bots, ours included. Undefined if a field is missing.
 */
export function readChange(event: unknown, reader: EventInstallation): ParsedChange {
  const { success, output: data } = v.safeParse(change, event);
  if (!success) return undefined;
  const { message, previous_message: before, channel } = data;
  const ts = message.ts ?? before?.ts;
  if (!ts) return undefined;
  if (message.subtype === 'tombstone') {
    return before?.subtype === 'tombstone' ? 'unchanged' : toDeletion(channel, ts, before ?? message, reader);
  }
  // A bot may update its message many times while it writes; only the first version counts.
  if (isBot(message)) return findNoise(message, reader) ?? 'bot';
  if (!isEdited(message, before)) return findNoise(message, reader) ?? 'unchanged';
  const read = readMessage(message, getLocation(channel, data.channel_type, ts), reader, before ?? null);
  if (typeof read === 'string') return read;
  const edited = message.edited?.ts;
  // When files are removed, `edited` stays the same; the timestamp of the event is then the id of the change.
  const at = edited && edited !== before?.edited?.ts ? edited : data.ts;
  return { kind: 'message-edited', message: read, at };
}

function isEdited(message: RawMessage, before: RawMessage | null | undefined): boolean {
  if (!before) return Boolean(message.edited?.ts);
  return (message.text ?? '') !== (before.text ?? '') || joinFileIds(message) !== joinFileIds(before);
}

const joinFileIds = ({ files }: RawMessage): string =>
  parseAttachments(files)
    .map((file) => file.id)
    .join();

/** Parses a `message_deleted`. Undefined if a field is missing. */
export function readDeletion(event: unknown, reader: EventInstallation): ParsedChange {
  const { success, output: data } = v.safeParse(deletion, event);
  if (!success) return undefined;
  const ts = data.deleted_ts ?? data.previous_message?.ts;
  return ts ? toDeletion(data.channel, ts, data.previous_message, reader) : undefined;
}

/** A deletion. A root message of anyone counts, as it may have a thread of ours; a reply only if it may be a question. */
function toDeletion(
  channel: string,
  ts: string,
  was: RawMessage | null | undefined,
  reader: EventInstallation,
): ParsedChange {
  const root = was?.thread_ts ?? ts;
  const noise = was && root !== ts ? (findNoise(was, reader) ?? (isBot(was) ? 'bot' : undefined)) : undefined;
  if (noise) return noise;
  return {
    kind: 'message-deleted',
    thread: toThread(reader.workspace, channel, root),
    message: messageId(ts),
    ...hadRecording(was),
  };
}

/** Whether the message had a recording. A tombstone and files of another company do not say. */
function hadRecording(was: RawMessage | null | undefined): { readonly hasRecordings?: boolean } {
  if (!was || was.subtype === 'tombstone') return {};
  const files = listMessageFiles(was);
  if (files.some(isRecording)) return { hasRecordings: true };
  return files.some(lacksMetadata) ? {} : { hasRecordings: false };
}

/** Parses an `agent_session_stopped`: a person clicked Slack's own Stop. Undefined if a field is missing. */
export function readStop(event: unknown, { workspace }: EventInstallation): ParsedChange {
  const { success, output: data } = v.safeParse(stop, event);
  if (!success) return undefined;
  return {
    kind: 'thread-stop-clicked',
    thread: toThread(workspace, data.channel, data.thread_ts),
    by: userId(data.user),
  };
}
