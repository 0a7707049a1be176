import type { Attachment, ContextLine, MessageId, Thread, UserId } from '../../domain/index.ts';

/** Something a person, or another bot, said in a thread. */
export type ThreadMessage = ContextLine & {
  /** An app or a webhook wrote it, this one included. */
  readonly isBot?: boolean | undefined;
};

/** What was said before a question, as far as it was read. */
export type EarlierMessages = {
  /** Oldest first. */
  readonly said: readonly ThreadMessage[];
  /** The platform lets the bot read the rest, or all where nothing was read, after so many ms. */
  readonly retryAfterMs?: number | undefined;
};

/** A channel, or with a `root` the thread that hangs on that message. */
export type HistoryPlace = Omit<Thread, 'root'> & { readonly root?: MessageId | undefined };

export type HistoryRange = {
  /** What was said before this moment is left out (ms since 1970). */
  readonly since?: number | undefined;
  /** No more than so many messages are read. Which are left out then, `incomplete` says. */
  readonly most: number;
  /** Of a channel, the replies in so many of its threads are read too: those that were last said something in. */
  readonly threads?: number | undefined;
};

export type HistoryMessage = {
  readonly id: MessageId;
  /** A reply in a thread of the channel that is read. */
  readonly root?: MessageId | undefined;
  /** A name for people. */
  readonly author: string;
  /** Absent for other bots that are not told by an id. */
  readonly by?: UserId | undefined;
  /** An app or a webhook wrote it, this one included. */
  readonly isBot?: boolean | undefined;
  /** ms since 1970. */
  readonly at: number;
  readonly text: string;
  /** Where it can be seen, as an address for people. */
  readonly link?: string | undefined;
};

export type History = {
  readonly messages: readonly HistoryMessage[];
  /** Not all of what was wanted was read: there are older or later messages, or the platform lets the bot read but a few at a time. */
  readonly incomplete?: 'older' | 'later' | 'slowed' | undefined;
  /** Threads whose replies were not read. */
  readonly threadsLeft: number;
  /** Messages of which the platform did not give the words. */
  readonly wordless: number;
};

/** Nothing of a channel or thread may be read. */
export class HistoryUnavailable extends Error {
  override readonly name = 'HistoryRefused';
  /**
   * `not-member`: the bot is not in the channel; `no-permission`: it lacks these `permissions` or scopes; `no-thread`: what it hung
   * on is gone; `wordless`: the platform gives the bot no words there; `slowed`: it lets the bot read only after `retryAfterMs`.
   */
  readonly reason: 'not-member' | 'no-permission' | 'no-thread' | 'wordless' | 'slowed';
  readonly permissions: string;
  readonly retryAfterMs: number;

  constructor(
    reason: HistoryUnavailable['reason'],
    { permissions = '', retryAfterMs = 0, cause }: Partial<Omit<HistoryUnavailable, 'reason'>> = {},
  ) {
    super(reason, { cause });
    this.reason = reason;
    this.permissions = permissions;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A message that was looked up. */
export type FoundMessage = {
  readonly thread: Thread;
  readonly id: MessageId;
  readonly author: UserId;
  readonly text: string;
  readonly attachments: Attachment[];
};
