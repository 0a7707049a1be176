import type { Card, ChannelId, MessageId, Thread, TurnRef, UserId, WorkspaceId } from '../../domain/index.ts';
import type { CardOptions, Upload } from './files.ts';

type Workspace = Pick<Thread, 'platform' | 'workspace'>;

/** Where a thread begins, and for whom. An interaction is one. */
export type ThreadOrigin = Workspace & {
  /** The same id posts once. */
  readonly id: string;
  readonly channel?: ChannelId | undefined;
  readonly by: { readonly user: UserId; readonly workspace: WorkspaceId };
  /** An earlier attempt may have posted it since this moment (ms since 1970), so it is looked for first. */
  readonly maybePostedSince?: number | undefined;
};

/** Posts cards and files. */
export interface CardMessenger {
  /** Whether cards can be posted there at all: not where the bot can only respond to interactions. */
  canPost(thread: Thread): boolean;
  /**
   * Posts a card, or changes the message `existing`. A card posted again with the same `key` is not doubled. Rejects when it cannot
   * be shown; with FileUnavailableError where the platform refuses its files.
   */
  postCard(
    thread: Thread,
    card: Card,
    key: string,
    existing?: MessageId,
    options?: CardOptions,
  ): Promise<MessageId>;
  /** Removes a card, and the files in its message unless it has none. Safe to repeat. */
  removeCard(thread: Thread, existing: MessageId, options?: { readonly hasFiles: boolean }): Promise<void>;
  /** Posts a card in the channel that begins a thread. Safe to repeat. Rejects with CannotPostError. */
  startThread(origin: ThreadOrigin, card: Card): Promise<TurnRef>;
  /** Sends a direct message; with a `key`, once for each: if it may have been sent `since` (ms), it is looked for. Rejects with CannotPostError where the person accepts none. */
  sendDirectMessage(to: Workspace, user: UserId, card: Card, key?: string, since?: number): Promise<void>;
  /**
   * The address of a message for people; undefined if the platform says that there is none. Discord's address does not show whether the
   * message exists. Rejects when the platform does not answer.
   */
  getPermalink(thread: Thread, message: MessageId): Promise<string | undefined>;
  /** Posts a file, once for each `key`. Rejects with FileUnavailableError when it is too large, or with ResponseOnlyError. */
  upload(thread: Thread, file: Upload, key: string): Promise<MessageId>;
  /** The messages with the file of this key: several where two workers uploaded it; none where the bot may not look. */
  findUploads(thread: Thread, key: string): Promise<MessageId[]>;
}
