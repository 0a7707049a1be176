import type { MessageId, Thread } from '../../../domain/index.ts';

export type PostPlace = Pick<Thread, 'platform' | 'workspace' | 'channel'>;

/** The record of earlier attempts to post with a key. */
export type PostRecord = {
  /** Absent while the outcome is unknown. */
  readonly message?: MessageId | undefined;
  /** Ids of the uploaded files, unordered. */
  readonly files: readonly string[];
};

/** One of the attempts to post a message that cannot be searched for before a post. */
export type PostAttempt = {
  readonly id: string;
  /** Whether no earlier attempt can have posted. */
  readonly isFirst: boolean;
};

/**
 * Records of the bot's posts in our own table. Slack's history is not read for this: an app that is distributed outside of the
 * Marketplace may read it only once a minute.
 * Source: docs.slack.dev/changelog/2025/05/29/rate-limit-changes-for-non-marketplace-apps.
 */
export interface PostRecords {
  /** Records that a post with the key begins. Resolves with the former record; undefined the first time. */
  begin(place: PostPlace, key: string): Promise<PostRecord | undefined>;
  /** Begins an attempt; undefined if the message of the key was saved. */
  beginAttempt(place: PostPlace, key: string): Promise<PostAttempt | undefined>;
  /** Saves the message of an attempt. Resolves with false, and nothing is saved, if a later one has begun. */
  saveAttempt(place: PostPlace, key: string, attempt: PostAttempt, message: MessageId): Promise<boolean>;
  find(place: PostPlace, key: string): Promise<PostRecord | undefined>;
  /** Records the message of a post. */
  savePosted(place: PostPlace, key: string, message: MessageId): Promise<void>;
  /** Records that an upload begins. */
  addFile(place: PostPlace, key: string, file: string): Promise<void>;
  /** The files of a message of the bot; undefined if they were not recorded. */
  findFiles(place: PostPlace, message: MessageId): Promise<readonly string[] | undefined>;
  setFiles(place: PostPlace, message: MessageId, files: readonly string[]): Promise<void>;
  /** Deletes the record of a deleted message. */
  remove(place: PostPlace, message: MessageId): Promise<void>;
}
