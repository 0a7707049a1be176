import {
  channelId,
  messageId,
  NO_GUILD,
  type Thread,
  type UserId,
  type WorkspaceId,
  workspaceId,
} from '../../../domain/index.ts';

export const guildOf = (guild: string | undefined): WorkspaceId => workspaceId(guild ?? NO_GUILD);

/** Where something was called. */
export type ChannelInfo = {
  readonly guild: string | undefined;
  /** A thread's parent. */
  readonly channel: string;
  /** A thread of Discord's, or a chat with the bot alone: all that is said there is one conversation. */
  readonly root: string | undefined;
  /** Whether the bot itself is there. Where a person alone has installed the app, only tickets can answer. */
  readonly bot: boolean;
};

/**
 * A conversation. A thread of Discord's: its parent channel, and its id, which as a rule is that of the message it was
 * opened from. A chain of replies: its channel and first message. A chat with the bot alone: its channel, twice.
 */
export function threadIn(guild: string | undefined, channel: string, root: string): Thread {
  return {
    platform: 'discord',
    workspace: guildOf(guild),
    channel: channelId(channel),
    root: messageId(root),
  };
}

/**
 * The conversation of a question that was asked by a command. In a thread, and in a chat with the bot, it belongs to what
 * is said there; elsewhere each person has one of their own. A private question always has: nobody else's prompt holds it.
 */
export function threadFor({ guild, channel, root, bot }: ChannelInfo, user: UserId, secret: boolean): Thread {
  if (secret) return threadIn(guild, channel, `p${user}`);
  if (!bot) return threadIn(guild, channel, `u${user}`);
  return threadIn(guild, channel, root ?? `c${user}`);
}

/** Whether what is said in the conversation is for one person alone. */
export const isPrivate = ({ root }: Pick<Thread, 'root'>): boolean => root.startsWith('p');

/** Whether the bot may say something there by itself: nothing private, and not where it only was called. */
export const botMayWrite = ({ root }: Pick<Thread, 'root'>): boolean => !/^[pu]/.test(root);

/** Whether a conversation is the one that this person has there alone. */
export const isOwn = ({ root }: Pick<Thread, 'root'>, user: UserId): boolean =>
  root.slice(1) === String(user);

/** Whether it is a chat with the bot alone. */
export const isDirect = ({ channel, root }: Thread): boolean => String(channel) === String(root);

/** Whether people can see where it begins: not so where each person has a conversation of their own with the bot. */
export const isSeen = ({ root }: Pick<Thread, 'root'>): boolean => /^\d/.test(root);
