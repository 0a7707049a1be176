import type { ChannelId, MessageId, WorkspaceId } from './ids.ts';

/** All platforms. Stored keys, queue messages and interactions name one of these. */
export const PLATFORMS = ['slack', 'discord'] as const;
export type PlatformName = (typeof PLATFORMS)[number];

/** Whether a part of a stored key names a platform. */
export const isPlatformName = (value: string | undefined): value is PlatformName =>
  PLATFORMS.some((name) => name === value);

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
