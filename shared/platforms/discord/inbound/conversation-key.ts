import {
  channelId,
  messageId,
  NO_GUILD,
  type Thread,
  type UserId,
  type WorkspaceId,
  workspaceId,
} from '../../../domain/index.ts';

/** Returns the workspace of a guild; `NO_GUILD` for direct messages. */
export const toWorkspaceId = (guild: string | undefined): WorkspaceId => workspaceId(guild ?? NO_GUILD);

/** The channel of an interaction or message. */
export type ChannelInfo = {
  readonly guild: string | undefined;
  /** The channel; of a thread, its parent. */
  readonly channel: string;
  /** The thread, or the direct channel with the bot. All messages in it are one conversation. */
  readonly root: string | undefined;
  /** Whether the bot is a member. If only a person has installed the app, it can respond with interaction tokens only. */
  readonly bot: boolean;
};

/**
 * The key of a conversation. A thread: its parent channel and its id, which is usually that of the message from which it was created. A
 * chain of replies: the channel and the first message. A direct channel with the bot: the channel as both.
 */
export function toThread(guild: string | undefined, channel: string, root: string): Thread {
  return {
    platform: 'discord',
    workspace: toWorkspaceId(guild),
    channel: channelId(channel),
    root: messageId(root),
  };
}

/**
 * The conversation of a question that was asked by a slash command. In a thread or in a direct channel with the bot it is that thread or
 * channel; elsewhere each person has their own. An ephemeral question always has its own: no prompt of others contains it.
 */
export function chooseThread(
  { guild, channel, root, bot }: ChannelInfo,
  user: UserId,
  isPrivateQuestion: boolean,
): Thread {
  if (isPrivateQuestion) return toThread(guild, channel, `p${user}`);
  if (!bot) return toThread(guild, channel, `u${user}`);
  return toThread(guild, channel, root ?? `c${user}`);
}

/** Whether the messages of the conversation are ephemeral. */
export const isPrivate = ({ root }: Pick<Thread, 'root'>): boolean => root.startsWith('p');

/** Whether the bot may post there without an interaction token: not in ephemeral conversations, nor where it is no member. */
export const botMayWrite = ({ root }: Pick<Thread, 'root'>): boolean => !/^[pu]/.test(root);

/** Whether the conversation belongs to this person only. */
export const isOwn = ({ root }: Pick<Thread, 'root'>, user: UserId): boolean =>
  root.slice(1) === String(user);

/** Whether it is a direct channel with the bot. */
export const isDirect = ({ channel, root }: Thread): boolean => String(channel) === String(root);

/** Whether the conversation starts with a visible message. A person's own conversation with the bot does not. */
export const hasRootMessage = ({ root }: Pick<Thread, 'root'>): boolean => /^\d/.test(root);
