import * as v from 'valibot';
import { type Args, metadataArg, objects, optional, required } from '../args.ts';
import { checkMessageBlocks } from '../blocks.ts';
import { emitChanged, emitDeleted, emitPosted } from '../events.ts';
import { removeFiles } from '../files.ts';
import { presentMessage } from '../present.ts';
import { type Channel, type Json, type Message, repliesTo } from '../state.ts';
import { tsOf } from '../ticks.ts';
import {
  type ApiSuccess,
  channelNamed,
  isStreaming,
  messageAt,
  ownChannel,
  writableChannel,
  record,
  RefusalError,
  type SimulatorContext,
} from '../context.ts';
import { clearStatus } from './threads.ts';

const TEXT_LIMIT = 40_000;
/** In UTF-8 bytes, as measured live (openclaw/openclaw#115027); the reference says "characters". */
const UPDATE_TEXT_LIMIT_BYTES = 4_000;
export const MARKDOWN_LIMIT = 12_000;

export const bytesOf = (text: string): number => Buffer.byteLength(text);

/** Text over 40,000 characters is truncated with a warning, as in Slack; Markdown over 12,000 is refused. */
export function postMessage(context: SimulatorContext, args: Args): ApiSuccess {
  const channel = writableChannel(context, required(args, 'channel'), channelNamed);
  const content = contentOf(args);
  const thread = threadToPostIn(context, channel, optional(args, 'thread_ts'));
  const metadata = metadataArg(args);
  const message = newMessage(context, channel, {
    ...content.parts,
    ...(thread === undefined ? {} : { thread }),
    ...(metadata ? { metadata } : {}),
  });
  record(context, { kind: 'message', message });
  if (thread !== undefined) clearStatus(context, channel, thread);
  emitPosted(context, channel, message);
  const warning = content.cut
    ? { warning: 'message_truncated', response_metadata: { warnings: ['message_truncated'] } }
    : {};
  return {
    ok: true,
    channel: channel.id,
    ts: message.ts,
    message: presentMessage(context, message, true),
    ...warning,
  };
}

/** Visible to one person, in no history, and gone after their next reload of Slack; the page keeps it. */
export function postEphemeral(context: SimulatorContext, args: Args): ApiSuccess {
  const channel = writableChannel(context, required(args, 'channel'), channelNamed);
  const user = required(args, 'user');
  if (!channel.members.includes(user)) throw new RefusalError('user_not_in_channel');
  const content = contentOf(args);
  const thread = threadToPostIn(context, channel, optional(args, 'thread_ts'));
  const message = newMessage(context, channel, {
    ...content.parts,
    ...(thread === undefined ? {} : { thread }),
    ephemeralTo: user,
  });
  if (isShown(context, message)) record(context, { kind: 'message', message });
  return { ok: true, message_ts: message.ts };
}

/**
 * "Ephemeral messages in threads are only shown if there is already an active thread": Slack takes it, and nobody ever sees
 * it. Source: docs.slack.dev/reference/methods/chat.postEphemeral.
 */
function isShown(context: SimulatorContext, { channel, thread, ephemeralTo }: Message): boolean {
  const lost = ephemeralTo !== undefined && thread !== undefined;
  return !lost || repliesTo(context.state, channel, thread).length > 0;
}

/**
 * Replaces the content of one of the bot's messages. Text over 4,000 bytes is refused with `msg_too_long`, also
 * beside blocks; a message that still streams with `streaming_state_conflict`. "If you don't include `blocks`, the message's previous `blocks`
 * will only be retained if the `text` argument is not provided" (docs.slack.dev/reference/methods/chat.update): so Markdown
 * alone leaves them, and the task cards, standing.
 */
export function update(context: SimulatorContext, args: Args): ApiSuccess {
  const channel = writableChannel(context, required(args, 'channel'));
  const message = messageAt(context, channel, required(args, 'ts'));
  if (message.user !== context.identity.botUserId || message.tombstone)
    throw new RefusalError('cant_update_message');
  if (bytesOf(optional(args, 'text') ?? '') > UPDATE_TEXT_LIMIT_BYTES) throw new RefusalError('msg_too_long');
  const content = contentOf(args);
  if (isStreaming(context, message)) throw new RefusalError('streaming_state_conflict');
  const metadata = metadataArg(args);
  const files = filesFor(context, message, args);
  const before = presentMessage(context, message);
  const { blocks, steps, plan, markdown: _markdown, metadata: eventMetadata, stream, ...rest } = message;
  const around = { ...(blocks ? { blocks } : {}), ...(steps ? { steps } : {}), ...(plan ? { plan } : {}) };
  const after: Message = {
    ...rest,
    ...(content.parts.markdown ? around : {}),
    ...content.parts,
    ...(metadata === undefined
      ? eventMetadata
        ? { metadata: eventMetadata }
        : {}
      : metadata
        ? { metadata }
        : {}),
    ...(stream ? { stream: { ...stream, open: false } } : {}),
    ...(files === undefined ? {} : { files }),
    editedAt: tsOf(context.ticks.next()),
  };
  record(context, { kind: 'message', message: after });
  emitChanged(context, channel, before, after);
  // The message has no ts of its own there (slackapi/java-slack-sdk, json-logs/samples/api/chat.update.json).
  const { ts, ...json } = presentMessage(context, after, true);
  return { ok: true, channel: channel.id, ts, text: after.text, message: json };
}

/**
 * The files that an update names, which take the place of those on the message; undefined where it names none, and those
 * stay. What is taken off is deleted ("some_files_not_deleted" warns of what cannot be).
 * Source: docs.slack.dev/reference/methods/chat.update.
 */
function filesFor(context: SimulatorContext, message: Message, args: Args): string[] | undefined {
  const fileIds = optional(args, 'file_ids');
  if (fileIds === undefined) return undefined;
  const ids = fileIds.startsWith('[')
    ? v.parse(v.array(v.string()), JSON.parse(fileIds))
    : fileIds.split(',');
  for (const id of ids) {
    const file = context.state.files.get(id);
    if (!file || file.file.user !== context.identity.botUserId) throw new RefusalError('file_not_found');
    if (file.file.deleted) throw new RefusalError('file_deleted');
  }
  const off = (message.files ?? []).filter((id) => !ids.includes(id));
  removeFiles(context, { ...message, files: off });
  return ids;
}

/** Deletes one of the bot's messages; the root of a thread with replies leaves a tombstone. */
export function remove(context: SimulatorContext, args: Args): ApiSuccess {
  const channel = ownChannel(context, required(args, 'channel'));
  const message = messageAt(context, channel, required(args, 'ts'));
  if (message.user !== context.identity.botUserId) throw new RefusalError('cant_delete_message');
  takeAway(context, channel, message);
  return { ok: true, channel: channel.id, ts: message.ts };
}

/** The permalink of a message, for people who may see it. */
export function permalink(context: SimulatorContext, args: Args): ApiSuccess {
  const channel = ownChannel(context, required(args, 'channel'));
  const message = messageAt(context, channel, required(args, 'message_ts'));
  return { ok: true, channel: channel.id, permalink: linkOf(channel, message) };
}

export function linkOf({ id }: Channel, { ts, thread }: Message): string {
  const query = thread === undefined ? '' : `?thread_ts=${thread}&cid=${id}`;
  return `https://parley.slack.com/archives/${id}/p${ts.replace('.', '')}${query}`;
}

/**
 * Deletes a message, whoever does it. A root that has replies becomes a tombstone, and the app is told so by
 * `message_changed`, not `message_deleted` (slackapi clients' issues); the tombstone goes with its last reply. Its files stay.
 */
export function takeAway(context: SimulatorContext, channel: Channel, message: Message): void {
  const before = presentMessage(context, message);
  if (repliesTo(context.state, channel.id, message.ts).length > 0) {
    const { channel: where, ts, user } = message;
    const left: Message = { channel: where, ts, user, text: '', tombstone: true };
    record(context, { kind: 'message', message: left });
    return emitChanged(context, channel, before, left);
  }
  record(context, { kind: 'removal', channel: channel.id, ts: message.ts });
  emitDeleted(context, channel, before);
  const root = context.state.messages.get(channel.id)?.get(message.thread ?? '');
  if (root?.tombstone && repliesTo(context.state, channel.id, root.ts).length === 0)
    takeAway(context, channel, root);
}

/** A response by `response_url`, and its message. */
export type ResponseTo = {
  /** Absent for a command. */
  readonly original: Message | undefined;
  readonly how: 'delete' | 'replace' | 'ephemeral' | 'in_channel';
  readonly body: Args;
  /** The person who clicked. */
  readonly user: string;
  readonly thread: string | undefined;
};

/** Performs it; the text limit is the usual one, but an update may be as long as a message. */
export function respondTo(
  context: SimulatorContext,
  channel: Channel,
  { original, how, body, user, thread }: ResponseTo,
): void {
  if (how === 'delete' && original) {
    if (original.ephemeralTo === undefined) return takeAway(context, channel, original);
    return record(context, { kind: 'removal', channel: channel.id, ts: original.ts });
  }
  const { parts } = contentOf(body);
  if (how === 'replace' && original) {
    const before = presentMessage(context, original);
    const { blocks: _blocks, steps: _steps, plan: _plan, markdown: _markdown, ...rest } = original;
    const after = { ...rest, ...parts, editedAt: tsOf(context.ticks.next()) };
    record(context, { kind: 'message', message: after });
    if (original.ephemeralTo === undefined) emitChanged(context, channel, before, after);
    return;
  }
  const inThread = threadToPostIn(context, channel, thread);
  const message = newMessage(context, channel, {
    ...parts,
    ...(inThread === undefined ? {} : { thread: inThread }),
    ...(how === 'ephemeral' ? { ephemeralTo: user } : {}),
  });
  if (isShown(context, message)) record(context, { kind: 'message', message });
  if (how === 'in_channel') emitPosted(context, channel, message);
}

/** A message of the bot, at the next ts. */
export function newMessage(
  context: SimulatorContext,
  channel: Channel,
  parts: Omit<Message, 'channel' | 'ts' | 'user'>,
): Message {
  return { channel: channel.id, ts: tsOf(context.ticks.next()), user: context.identity.botUserId, ...parts };
}

/**
 * The thread to post in. A parent that does not exist (any more) is silently ignored and the reply lands in the
 * channel itself: people meet this on real Slack when a question is deleted while it is being answered.
 */
export function threadToPostIn(
  context: SimulatorContext,
  channel: Channel,
  threadTs: string | undefined,
): string | undefined {
  if (threadTs === undefined) return undefined;
  const root = context.state.messages.get(channel.id)?.get(threadTs);
  if (!root) return undefined;
  if (root.thread !== undefined || root.ephemeralTo !== undefined)
    throw new RefusalError('cannot_reply_to_message');
  return threadTs;
}

type Content = { parts: { text: string; markdown?: boolean; blocks?: Json[] }; cut: boolean };

function contentOf(args: Args): Content {
  const text = optional(args, 'text');
  const markdown = optional(args, 'markdown_text');
  const blocks = objects(args, 'blocks', 'invalid_blocks_format');
  if (markdown !== undefined && (text !== undefined || blocks))
    throw new RefusalError('markdown_text_conflict');
  if (blocks) checkMessageBlocks(blocks);
  if (markdown !== undefined) {
    if (markdown.length > MARKDOWN_LIMIT) throw new RefusalError('msg_too_long');
    return { parts: { text: markdown, markdown: true }, cut: false };
  }
  if (text === undefined && (!blocks || blocks.length === 0)) throw new RefusalError('no_text');
  const shortText = (text ?? '').slice(0, TEXT_LIMIT);
  return {
    parts: { text: shortText, ...(blocks ? { blocks } : {}) },
    cut: shortText.length < (text ?? '').length,
  };
}
