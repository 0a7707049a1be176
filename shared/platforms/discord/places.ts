import {
  channelId,
  messageId,
  type Thread,
  type UserId,
  type WorkspaceId,
  workspaceId,
} from '../../conversation/index.ts';

/** Stands for the guild where there is none: in direct messages, and in group chats of people. */
export const NO_GUILD = '@me';

export const guildOf = (guild: string | undefined): WorkspaceId => workspaceId(guild ?? NO_GUILD);

/** Where something was called. */
export type Place = {
  readonly guild: string | undefined;
  readonly channel: string;
  /** A thread of Discord's, or a chat with the bot alone: all that is said there is one conversation. */
  readonly whole: boolean;
  /** Whether the bot itself is there. Where a person alone has installed the app, only tickets can answer. */
  readonly bot: boolean;
};

/**
 * A conversation that is a place of Discord's: a thread (then `root` is the thread's own id, which is also that of the
 * message it was opened from), a chat with the bot alone (its channel's id), or a chain of replies (its first message).
 */
export function threadIn(guild: string | undefined, channel: string, root: string = channel): Thread {
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
export function threadFor({ guild, channel, whole, bot }: Place, user: UserId, secret: boolean): Thread {
  if (secret) return threadIn(guild, channel, `p${user}`);
  if (!bot) return threadIn(guild, channel, `u${user}`);
  return whole ? threadIn(guild, channel) : threadIn(guild, channel, `c${user}`);
}

/** Whether what is said in the conversation is for one person alone. */
export const isPrivate = ({ root }: Pick<Thread, 'root'>): boolean => root.startsWith('p');

/** Whether the bot may say something there by itself: nothing private, and not where it only was called. */
export const botMayWrite = ({ root }: Pick<Thread, 'root'>): boolean => !/^[pu]/.test(root);

/** Whether the messages of the conversation are all that is said in its channel. */
export const isWhole = ({ channel, root }: Thread): boolean => String(channel) === String(root);

/** Discord's ids carry their moment of birth. In ms since 1970. See docs:reference#snowflakes. */
export const bornAt = (snowflake: string): number => Number(BigInt(snowflake) >> 22n) + 1_420_070_400_000;
