import * as v from 'valibot';
import {
  type ChatEvent,
  type IncomingMessage,
  isRecording,
  messageId,
  userId,
} from '../../../../domain/index.ts';
import { guildOf, threadIn } from '../../index.ts';
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
  answersBot,
  botIds,
  type DropReason,
  filesOf,
  type BotIdentity,
  namesBot,
  noiseOf,
  saysNothing,
  wordsOf,
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
      readonly left?: string;
      /** Rejects if Discord does not respond. */
      readonly chatEvents: (places: ChannelDirectory) => Promise<readonly ChatEvent[] | DropReason>;
    };

/** Parses an event of the gateway. Also adds the channels and threads of events to `places`. Never throws. */
export function readEvent(
  t: string,
  d: unknown,
  me: BotIdentity,
  places: ChannelDirectory,
  nowMs: number,
): ParsedEvent {
  switch (t) {
    case 'MESSAGE_CREATE':
      return ofMessage(d, me, places, false);
    case 'MESSAGE_UPDATE':
      return ofMessage(d, me, places, true);
    case 'MESSAGE_DELETE':
      return v.is(rawRemoval, d) ? ofRemoval(d, [d.id]) : drop('kind');
    case 'MESSAGE_DELETE_BULK':
      return v.is(rawRemovals, d) ? ofRemoval(d, d.ids) : drop('kind');
    case 'THREAD_DELETE':
      return ofThread(d, places);
    case 'GUILD_DELETE':
      return ofGuild(d, nowMs);
    case 'CHANNEL_CREATE':
    case 'THREAD_CREATE':
    case 'THREAD_UPDATE': {
      const { success, output: data } = v.safeParse(rawChannel, d);
      if (success) places.learn(data);
      return drop('kind');
    }
    default:
      return drop('kind');
  }
}

/** Parses a message of the REST API, which does not contain the guild. */
export function readOld(
  message: RawMessage,
  guild: string | undefined,
  me: BotIdentity,
  places: ChannelDirectory,
): ParsedEvent {
  return readMessage({ ...message, guild_id: guild }, me, places, false);
}

const drop = (reason: DropReason): ParsedEvent => ({ kind: 'drop', reason });

function ofMessage(d: unknown, me: BotIdentity, places: ChannelDirectory, changed: boolean): ParsedEvent {
  const { success, output: data } = v.safeParse(rawMessage, d);
  return success ? readMessage(data, me, places, changed) : drop('kind');
}

function readMessage(
  message: RawMessage,
  me: BotIdentity,
  places: ChannelDirectory,
  changed: boolean,
): ParsedEvent {
  const reason = noiseOf(message, me);
  if (reason) return drop(reason);
  // Discord sends this event also when it adds a link preview.
  if (changed && !message.edited_timestamp) return drop('unchanged');
  const text = wordsOf(message, me);
  const named = namesBot(message, me);
  if (saysNothing(message, text, named)) return drop('empty');
  const attachments = filesOf(message);
  const { id, channel_id: channel, guild_id: guild, edited_timestamp: editedAt } = message;
  const bot = botIds(message);
  // A bot may only start a conversation with a mention. Otherwise two bots could answer each other without end.
  if (bot && (!named || changed || !guild)) return drop('bot');
  const near = changed || answersBot(message, me);
  const aside = guild && !named && !near && !attachments.some(isRecording);
  if (aside && places.known(channel) === 'plain' && !me.mayConcern(guild, channel))
    return drop('unaddressed');
  const at = changed ? String(Date.parse(editedAt ?? '')) : undefined;
  // Keeps only the fields that are needed later, since many events may wait.
  const { author } = message;
  const { referenced_message } = message;
  const chain = { id, channel_id: channel, guild_id: guild, author, referenced_message };
  const chatEvents = async (): Promise<readonly ChatEvent[] | DropReason> => {
    const thread = await places.threadOf({ ...EMPTY, ...chain }, me);
    if (!thread) return 'out-of-sight';
    const inThread = guild && thread.root !== id;
    if (bot && inThread) return 'bot';
    const incoming: IncomingMessage = {
      thread,
      id: messageId(id),
      author: userId(author?.id ?? ''),
      authorWorkspace: guildOf(guild ?? undefined),
      bot,
      text,
      attachments,
      addressed: !guild ? 'direct' : named ? 'mention' : near || inThread ? 'if-member' : 'overheard',
    };
    return at === undefined
      ? [{ kind: 'message', message: incoming }]
      : [{ kind: 'message-edited', message: incoming, at }];
  };
  return { kind: 'for-us', channel, guild: guild ?? undefined, message: id, chatEvents };
}

const EMPTY: RawMessage = v.parse(rawMessage, { id: '0', channel_id: '0' });

type Removal = { readonly channel_id: string; readonly guild_id?: string | null | undefined };

function ofRemoval({ channel_id: channel, guild_id: guild }: Removal, ids: readonly string[]): ParsedEvent {
  const chatEvents = async (places: ChannelDirectory): Promise<readonly ChatEvent[]> => {
    const found = await Promise.all(ids.map((id) => places.threadAt(channel, guild, id)));
    return found.flatMap((thread, i) => {
      const id = ids[i];
      return thread && id ? [{ kind: 'message-deleted', thread, message: messageId(id) } as const] : [];
    });
  };
  return { kind: 'for-us', channel, guild: guild ?? undefined, chatEvents };
}

/** A deleted thread: its messages are deleted too. */
function ofThread(d: unknown, places: ChannelDirectory): ParsedEvent {
  const { success, output: data } = v.safeParse(rawChannel, d);
  if (!success || !data.guild_id || !data.parent_id) return drop('kind');
  places.forget(data.id);
  const thread = threadIn(data.guild_id, data.parent_id, data.id);
  const chatEvents = async (): Promise<readonly ChatEvent[]> => [
    { kind: 'message-deleted', thread, message: messageId(data.id) },
  ];
  return { kind: 'for-us', channel: data.id, guild: data.guild_id, chatEvents };
}

/** The bot was removed, or the guild was deleted. An unavailable guild still has the bot. */
function ofGuild(d: unknown, at: number): ParsedEvent {
  const { success, output: data } = v.safeParse(rawLeft, d);
  if (!success || data.unavailable) return drop('kind');
  return guildLeft(data.id, at);
}

/** The event that the bot has left a guild. `at`: when that was noticed (ms since 1970). */
export function guildLeft(id: string, at: number): Extract<ParsedEvent, { kind: 'for-us' }> {
  const gone = { kind: 'app-uninstalled', platform: 'discord', workspace: guildOf(id), at } as const;
  return { kind: 'for-us', channel: id, guild: id, left: id, chatEvents: async () => [gone] };
}
