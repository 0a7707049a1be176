import { ANNOUNCEMENT_THREAD, PUBLIC_THREAD } from '../api/enums.ts';
import { readBits, readId, readList, readNumber, readString } from '../api/json-path.ts';
import { ADMINISTRATOR, PERMISSIONS, VOICE_TYPES } from './permissions.ts';

/** Types of channels with messages, or with threads that have them: text, voice, announcement, stage, forum, media. */
const CHANNEL_TYPES: ReadonlySet<unknown> = new Set([0, 2, 5, 13, 15, 16]);
const PUBLIC_THREAD_TYPES: ReadonlySet<unknown> = new Set([ANNOUNCEMENT_THREAD, PUBLIC_THREAD]);

/** The names of channels by id. */
export type ChannelNames = ReadonlyMap<string, string>;

/**
 * Selects the channels that everybody in the guild may read: @everyone may view them and read their history, and no overwrite denies this to
 * anybody. So an answer from them tells no reader more than they may read, whoever they are. Most recently active first. Source:
 * docs:topics/permissions#permission-overwrites. `everyone`: the permissions of the role @everyone in the guild.
 */
export function selectOpenChannels(
  channels: readonly unknown[],
  guild: string,
  everyone: bigint,
): ChannelNames {
  const open = channels.filter((one) => {
    const type = readNumber(one, 'type');
    if (!CHANNEL_TYPES.has(type)) return false;
    const needed =
      PERMISSIONS.ViewChannel.bit |
      PERMISSIONS.ReadMessageHistory.bit |
      (VOICE_TYPES.has(type) ? PERMISSIONS.Connect.bit : 0n);
    return (getPermissionsOfAll(one, guild, everyone) & needed) === needed;
  });
  return readChannelNames(open.toSorted((a, b) => (readLastMessageId(a) < readLastMessageId(b) ? 1 : -1)));
}

/** Whether everybody who sees this channel may also read its history. */
export const isHistoryOpen = (channel: unknown, guild: string, everyone: bigint): boolean =>
  (getPermissionsOfAll(channel, guild, everyone) & PERMISSIONS.ReadMessageHistory.bit) !== 0n;

/**
 * Selects the public threads of these channels, from the threads that Discord sends with the results of a search. Each has the name of its
 * channel: its own is mostly the question of whoever opened it.
 */
export const selectPublicThreads = (threads: readonly unknown[], parents: ChannelNames): ChannelNames =>
  new Map(
    threads.flatMap((one): [string, string][] => {
      const [id, parent] = [readId(one, 'id'), parents.get(readId(one, 'parent_id') ?? '')];
      const isPublic = PUBLIC_THREAD_TYPES.has(readNumber(one, 'type'));
      return id !== undefined && parent !== undefined && isPublic ? [[id, parent]] : [];
    }),
  );

/** Returns the permissions that @everyone has in a channel and that are denied to nobody there. `everyone`: those of the role in the guild. */
export function getPermissionsOfAll(channel: unknown, guild: string, everyone: bigint): bigint {
  if ((everyone & ADMINISTRATOR) !== 0n) return -1n;
  const overwrites = readList(channel, 'permission_overwrites');
  const ofAll = overwrites.find((one) => readId(one, 'id') === guild);
  const granted = (everyone & ~readBits(ofAll, 'deny')) | readBits(ofAll, 'allow');
  return overwrites
    .filter((one) => one !== ofAll)
    .reduce<bigint>((all, one) => all & ~readBits(one, 'deny'), granted);
}

const readLastMessageId = (channel: unknown): bigint => BigInt(readId(channel, 'last_message_id') ?? '0');

const readChannelNames = (channels: readonly unknown[]): ChannelNames =>
  new Map(
    channels.flatMap((one): [string, string][] => {
      const id = readId(one, 'id');
      return id === undefined ? [] : [[id, readString(one, 'name') ?? id]];
    }),
  );
