import type { MessageId, UserId, WorkspaceId } from './ids.ts';
import type { Thread } from './thread.ts';

/** What a person sent, stripped of its platform. */
export type IncomingMessage = {
  readonly thread: Thread;
  readonly id: MessageId;
  readonly author: UserId;
  /** The author's own workspace: differs from the thread's in channels shared between companies. */
  readonly authorWorkspace: WorkspaceId;
  /** The words without the mention of the bot, entities decoded. May be empty. */
  readonly text: string;
  /**
   * Why this concerns the bot: named in it, sent to it alone, or a reply in a thread,
   * which concerns the bot only if the bot already takes part there.
   */
  readonly addressed: 'mention' | 'direct' | 'if-member';
};
