import type { ChannelId, MessageId, WorkspaceId } from './ids.ts';

/** All platforms. Stored keys, queue messages and interactions name one of these. */
export const PLATFORMS = ['slack', 'discord'] as const;
export type PlatformName = (typeof PLATFORMS)[number];

/** Whether a part of a stored key names a platform. */
export const isPlatformName = (value: string | undefined): value is PlatformName =>
  PLATFORMS.some((name) => name === value);

/** How platforms differ where a feature has to know it. */
type PlatformTraits = {
  /** Its name for people. */
  readonly name: string;
  /**
   * `typed`: people write a command, its options and choices as text, by their English names. `native`: the platform shows them
   * in a form of its own, in the person's language.
   */
  readonly commands: 'typed' | 'native';
  /** The app has a page of its own, App Home: interactions there have no channel, and a response replaces the page. */
  readonly hasAppHome: boolean;
  /** The app is installed in each workspace with a token of its own. */
  readonly hasInstallTokens: boolean;
  /** The root message of a thread is in the channel, outside of the thread. */
  readonly isRootOutsideThread: boolean;
  /** Direct messages with the bot belong to a workspace; elsewhere they share no data with any. */
  readonly hasDirectMessagesInWorkspace: boolean;
  /** It has voice messages; elsewhere speech is a file. */
  readonly hasVoiceMessages: boolean;
};

export const PLATFORM_TRAITS: Readonly<Record<PlatformName, PlatformTraits>> = {
  slack: {
    name: 'Slack',
    commands: 'typed',
    hasAppHome: true,
    hasInstallTokens: true,
    isRootOutsideThread: false,
    hasDirectMessagesInWorkspace: true,
    hasVoiceMessages: false,
  },
  discord: {
    name: 'Discord',
    commands: 'native',
    hasAppHome: false,
    hasInstallTokens: false,
    isRootOutsideThread: true,
    hasDirectMessagesInWorkspace: false,
    hasVoiceMessages: true,
  },
};

/** Whether people write commands as text. Otherwise the platform shows their options in a form of its own. */
export const hasTypedCommands = ({ platform }: { readonly platform: PlatformName }): boolean =>
  PLATFORM_TRAITS[platform].commands === 'typed';

/**
 * Whether it is a direct message between one person and the bot. In Discord such a channel is the thread itself; in Slack its id tells
 * (docs: conversations, types of channels).
 */
export const isDirectMessage = ({ platform, channel, root }: Thread): boolean =>
  platform === 'slack' ? channel.startsWith('D') : String(channel) === String(root);

/** The workspace of Discord chats outside of guilds. They share no data. */
export const NO_GUILD = '@me';

/** The thread of a conversation. `root` is its first message. */
export type Thread = {
  readonly platform: PlatformName;
  readonly workspace: WorkspaceId;
  readonly channel: ChannelId;
  readonly root: MessageId;
};

/** Returns the key of a thread: the partition key of its turns and its message group on the queue. */
export function threadKey(thread: Thread): string {
  return `${thread.platform}#${thread.workspace}#${thread.channel}#${thread.root}`;
}
