import type { MessageId, Thread } from '../../../domain/index.ts';

export type PostPlace = Pick<Thread, 'platform' | 'workspace' | 'channel'>;

/** What is known of earlier attempts to post something by a key. */
export type PostRecord = {
  /** Absent while nobody knows whether Slack took it. */
  readonly message?: MessageId | undefined;
  /** Ids of the files that were sent for it, in no order. */
  readonly files: readonly string[];
};

/**
 * What the bot has posted, as our own table knows it from Slack's answers. Slack's history is not read for that: an app that is
 * distributed outside of the Marketplace may read it once a minute.
 * Source: docs.slack.dev/changelog/2025/05/29/rate-limit-changes-for-non-marketplace-apps.
 */
export interface PostRecords {
  /** Notes that something is about to be posted by the key. Resolves with what was noted before; undefined the first time. */
  begin(place: PostPlace, key: string): Promise<PostRecord | undefined>;
  find(place: PostPlace, key: string): Promise<PostRecord | undefined>;
  /** Slack answered with this message. */
  posted(place: PostPlace, key: string, message: MessageId): Promise<void>;
  /** A file is about to be sent. */
  addFile(place: PostPlace, key: string, file: string): Promise<void>;
  /** The files that hang on a message of the bot; undefined where that was not noted. */
  filesOn(place: PostPlace, message: MessageId): Promise<readonly string[] | undefined>;
  setFiles(place: PostPlace, message: MessageId, files: readonly string[]): Promise<void>;
  /** The message is gone. */
  forget(place: PostPlace, message: MessageId): Promise<void>;
}
