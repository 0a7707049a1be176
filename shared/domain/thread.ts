import type { ChannelId, MessageId, WorkspaceId } from './ids.ts';

export type PlatformName = 'slack' | 'discord';

/** Stands for the workspace where there is none: in chats of Discord's without a guild, which share nothing. */
export const NO_GUILD = '@me';

/** Where a conversation happens. `root` is the message that the thread hangs on. */
export type Thread = {
  readonly platform: PlatformName;
  readonly workspace: WorkspaceId;
  readonly channel: ChannelId;
  readonly root: MessageId;
};

/** One text per thread: the partition of its turns and its message group on the queue. */
export function threadKey(thread: Thread): string {
  return `${thread.platform}#${thread.workspace}#${thread.channel}#${thread.root}`;
}
