import * as v from 'valibot';
import {
  type ChatEvent,
  type IncomingMessage,
  isRecording,
  messageId,
  type Thread,
  userId,
} from '../../../../domain/index.ts';
import { toWorkspaceId, toThread } from '../../index.ts';
import type { ChannelDirectory } from './channel-directory.ts';
import {
  rawChannel,
  rawLeft,
  type RawMessage,
  rawMessage,
  rawRemoval,
  rawRemovals,
} from './payload-schemas.ts';
import {
  isReplyToBot,
  botIds,
  type DropReason,
  messageFiles,
  type BotIdentity,
  mentionsBot,
  findDropReason,
  isEmptyMessage,
  isHiddenMention,
  messageText,
} from './message.ts';

/** An event as far as it can be parsed without requests: it is dropped, or its conversation has to be found. `message`: the id for the checkpoint. */
export type ParsedEvent =
  | { readonly kind: 'drop'; readonly reason: DropReason }
  | {
      readonly kind: 'for-us';
      /** Events with the same value are handled in order. */
      readonly channel: string;
      /** Absent in DMs. */
      readonly guild: string | undefined;
      readonly message?: string | undefined;
      /** The guild that the bot has left, to be removed once this is handled. */
      readonly leftGuild?: string;
      /** Rejects if Discord does not respond. */
      readonly chatEvents: (channels: ChannelDirectory) => Promise<readonly ChatEvent[] | DropReason>;
    };

/** Parses an event of the gateway. Also adds the channels and threads of events to `channels`. Never throws. */
export function parseGatewayEvent(
  t: string,
  d: unknown,
  me: BotIdentity,
  channels: ChannelDirectory,
  nowMs: number,
): ParsedEvent {
  switch (t) {
    case 'MESSAGE_CREATE':
      return parseMessageEvent(d, me, channels, false);
    case 'MESSAGE_UPDATE':
      return parseMessageEvent(d, me, channels, true);
    case 'MESSAGE_DELETE':
      return v.is(rawRemoval, d) ? parseDeletion(d, [d.id]) : drop('kind');
    case 'MESSAGE_DELETE_BULK':
      return v.is(rawRemovals, d) ? parseDeletion(d, d.ids) : drop('kind');
    case 'CHANNEL_DELETE':
      return parseChannelDeletion(d, channels);
    case 'THREAD_DELETE':
      return parseThreadDeletion(d, channels);
    case 'GUILD_DELETE':
      return parseGuildDeletion(d, nowMs);
    case 'CHANNEL_CREATE':
    case 'THREAD_CREATE':
    case 'THREAD_UPDATE': {
      const { success, output: data } = v.safeParse(rawChannel, d);
      if (success) channels.add(data);
      return drop('kind');
    }
    default:
      return drop('kind');
  }
}

/** Parses a message of the REST API, which does not contain the guild. */
export function parseRestMessage(
  message: RawMessage,
  guild: string | undefined,
  me: BotIdentity,
  channels: ChannelDirectory,
): ParsedEvent {
  return parseMessage({ ...message, guild_id: guild }, me, channels, false);
}

const drop = (reason: DropReason): ParsedEvent => ({ kind: 'drop', reason });

function parseMessageEvent(
  d: unknown,
  me: BotIdentity,
  channels: ChannelDirectory,
  isEdit: boolean,
): ParsedEvent {
  const { success, output: data } = v.safeParse(rawMessage, d);
  return success ? parseMessage(data, me, channels, isEdit) : drop('kind');
}

function parseMessage(
  message: RawMessage,
  me: BotIdentity,
  channels: ChannelDirectory,
  isEdit: boolean,
): ParsedEvent {
  const reason = findDropReason(message, me);
  if (reason) return drop(reason);
  const editedAtMs = Date.parse(message.edited_timestamp ?? '');
  // Discord sends this event also when it adds a link preview, or when a thread is opened on the message.
  if (isEdit && !me.acceptEdit(message.id, editedAtMs)) return drop('unchanged');
  const text = messageText(message, me);
  const isMentioned = mentionsBot(message, me);
  const isHidden = isHiddenMention(message, { isMentioned, isEdit });
  if (!isHidden && isEmptyMessage(message, text, isMentioned)) return drop('empty');
  const attachments = messageFiles(message);
  const { id, channel_id: channel, guild_id: guild } = message;
  const senderIds = botIds(message);
  // A bot may only start a conversation with a mention. Otherwise two bots could answer each other without end.
  if (senderIds && (!isMentioned || isEdit || !guild)) return drop('bot');
  const isReplyOrEdit = isEdit || isReplyToBot(message, me);
  const isUnaddressed = guild && !isMentioned && !isReplyOrEdit && !attachments.some(isRecording);
  if (isUnaddressed && channels.knownKind(channel) === 'plain' && !me.mayConcern(guild, channel))
    return drop('unaddressed');
  const at = isEdit ? String(editedAtMs) : undefined;
  // Keeps only the fields that are needed later, since many events may wait.
  const { author } = message;
  const { referenced_message } = message;
  const chain = { id, channel_id: channel, guild_id: guild, author, referenced_message };
  const chatEvents = async (): Promise<readonly ChatEvent[] | DropReason> => {
    const thread = await channels.findThread({ ...EMPTY, ...chain }, me);
    if (!thread) return 'out-of-sight';
    const inThread = guild && thread.root !== id;
    if (senderIds && inThread) return 'bot';
    const incoming: IncomingMessage = {
      thread,
      id: messageId(id),
      author: userId(author?.id ?? ''),
      authorWorkspace: toWorkspaceId(guild ?? undefined),
      bot: senderIds,
      text,
      ...(isHidden && { isHidden }),
      attachments,
      addressed: !guild
        ? 'direct'
        : isMentioned
          ? 'mention'
          : isReplyOrEdit || inThread
            ? 'if-member'
            : 'none',
    };
    return at === undefined
      ? [{ kind: 'message', message: incoming }]
      : [{ kind: 'message-edited', message: incoming, at }];
  };
  return { kind: 'for-us', channel, guild: guild ?? undefined, message: id, chatEvents };
}

const EMPTY: RawMessage = v.parse(rawMessage, { id: '0', channel_id: '0' });

type Removal = { readonly channel_id: string; readonly guild_id?: string | null | undefined };

function parseDeletion(
  { channel_id: channel, guild_id: guild }: Removal,
  ids: readonly string[],
): ParsedEvent {
  const chatEvents = async (channels: ChannelDirectory): Promise<readonly ChatEvent[]> => {
    const threads = await Promise.all(ids.map((id) => channels.findThreadById(channel, guild, id)));
    return threads.flatMap((thread, i) => {
      const id = ids[i];
      return thread && id ? [{ kind: 'message-deleted', thread, message: messageId(id) } as const] : [];
    });
  };
  return { kind: 'for-us', channel, guild: guild ?? undefined, chatEvents };
}

/** A deleted thread: its messages are deleted too. */
function parseThreadDeletion(d: unknown, channels: ChannelDirectory): ParsedEvent {
  const { success, output: data } = v.safeParse(rawChannel, d);
  if (!success || !data.guild_id || !data.parent_id) return drop('kind');
  channels.remove(data.id);
  const thread = toThread(data.guild_id, data.parent_id, data.id);
  const message = messageId(data.id);
  const chatEvents = async (): Promise<readonly ChatEvent[]> => [
    { kind: 'message-deleted', thread, message },
    { kind: 'channel-deleted', ...toChannelPlace(thread), thread: message },
  ];
  return { kind: 'for-us', channel: data.id, guild: data.guild_id, chatEvents };
}

const toChannelPlace = ({ platform, workspace, channel }: Thread) => ({ platform, workspace, channel });

function parseChannelDeletion(d: unknown, channels: ChannelDirectory): ParsedEvent {
  const { success, output: data } = v.safeParse(rawChannel, d);
  if (!success || !data.guild_id) return drop('kind');
  channels.remove(data.id);
  const event = {
    kind: 'channel-deleted',
    ...toChannelPlace(toThread(data.guild_id, data.id, data.id)),
  } as const;
  return { kind: 'for-us', channel: data.id, guild: data.guild_id, chatEvents: async () => [event] };
}

/** The bot was removed, or the guild was deleted. An unavailable guild still has the bot. */
function parseGuildDeletion(d: unknown, at: number): ParsedEvent {
  const { success, output: data } = v.safeParse(rawLeft, d);
  if (!success || data.unavailable) return drop('kind');
  return createGuildRemoval(data.id, at);
}

/** The event that the bot has left a guild. `at`: when that was noticed (ms since 1970). */
export function createGuildRemoval(id: string, at: number): Extract<ParsedEvent, { kind: 'for-us' }> {
  const event = { kind: 'app-uninstalled', platform: 'discord', workspace: toWorkspaceId(id), at } as const;
  return { kind: 'for-us', channel: id, guild: id, leftGuild: id, chatEvents: async () => [event] };
}
