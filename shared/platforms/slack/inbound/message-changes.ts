import * as v from 'valibot';
import { type ChatEvent, isRecording, lacksMetadata, messageId, userId } from '../../../domain/index.ts';
import { attachmentsOf } from './attachments.ts';
import { id, maybeTs, type Recipient, threadAt, ts as moment } from '../oauth/installation.ts';
import {
  type DropReason,
  isBot,
  noiseOf,
  readMessage,
  type RawMessage,
  messageSchema,
  locationOf,
} from './message.ts';

const change = v.object({
  channel: id,
  channel_type: v.nullish(v.string()),
  ts: moment,
  message: messageSchema,
  previous_message: v.nullish(messageSchema),
});
const deletion = v.object({ channel: id, deleted_ts: maybeTs, previous_message: v.nullish(messageSchema) });
const stop = v.object({ channel: id, user: id, thread_ts: moment });

export type ParsedChange = ChatEvent | DropReason | undefined;

/**
 * Reads a `message_changed`: what a person edited, or what is left of a deleted message that has replies. Slack sends the
 * same when it unfolds a link, counts replies, or a bot updates its message, ours included. Undefined if unreadable.
 */
export function readChange(event: unknown, reader: Recipient): ParsedChange {
  const { success, output: data } = v.safeParse(change, event);
  if (!success) return undefined;
  const { message, previous_message: before, channel } = data;
  const ts = message.ts ?? before?.ts;
  if (!ts) return undefined;
  if (message.subtype === 'tombstone') {
    return before?.subtype === 'tombstone' ? 'unchanged' : gone(channel, ts, before ?? message, reader);
  }
  // A bot's message may change many times while it is written; only what it said first counts.
  if (isBot(message)) return noiseOf(message, reader) ?? 'bot';
  if (!isEdited(message, before)) return noiseOf(message, reader) ?? 'unchanged';
  const read = readMessage(message, locationOf(channel, data.channel_type, ts), reader, before ?? null);
  if (typeof read === 'string') return read;
  const edited = message.edited?.ts;
  // Files can be removed without a new edit; the moment of the event then tells this change from the last.
  const at = edited && edited !== before?.edited?.ts ? edited : data.ts;
  return { kind: 'edited', message: read, at };
}

function isEdited(message: RawMessage, before: RawMessage | null | undefined): boolean {
  if (!before) return Boolean(message.edited?.ts);
  return (message.text ?? '') !== (before.text ?? '') || filesOf(message) !== filesOf(before);
}

const filesOf = ({ files }: RawMessage): string =>
  attachmentsOf(files)
    .map((file) => file.id)
    .join();

/** Reads a `message_deleted`. Undefined if unreadable. */
export function readDeletion(event: unknown, reader: Recipient): ParsedChange {
  const { success, output: data } = v.safeParse(deletion, event);
  if (!success) return undefined;
  const ts = data.deleted_ts ?? data.previous_message?.ts;
  return ts ? gone(data.channel, ts, data.previous_message, reader) : undefined;
}

/** Whoever wrote a root, a thread of ours may hang on it. Of replies only those count that may have asked. */
function gone(
  channel: string,
  ts: string,
  was: RawMessage | null | undefined,
  reader: Recipient,
): ParsedChange {
  const root = was?.thread_ts ?? ts;
  const noise = was && root !== ts ? (noiseOf(was, reader) ?? (isBot(was) ? 'bot' : undefined)) : undefined;
  if (noise) return noise;
  return {
    kind: 'deleted',
    thread: threadAt(reader.workspace, channel, root),
    message: messageId(ts),
    ...spokenIn(was),
  };
}

/** Whether there was something to hear. Neither what is left of a deleted message tells, nor one with files of another company. */
function spokenIn(was: RawMessage | null | undefined): { readonly spoken?: boolean } {
  if (!was || was.subtype === 'tombstone') return {};
  const files = attachmentsOf(was.files);
  if (files.some(isRecording)) return { spoken: true };
  return files.some(lacksMetadata) ? {} : { spoken: false };
}

/** Reads an `agent_session_stopped`: a person pressed Slack's own Stop. Undefined if unreadable. */
export function readStop(event: unknown, { workspace }: Recipient): ParsedChange {
  const { success, output: data } = v.safeParse(stop, event);
  if (!success) return undefined;
  return {
    kind: 'stopped',
    thread: threadAt(workspace, data.channel, data.thread_ts),
    by: userId(data.user),
  };
}
