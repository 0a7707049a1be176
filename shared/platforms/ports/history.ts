import type { Attachment, ContextLine, MessageId, Thread, UserId, WorkspaceId } from '../../domain/index.ts';

/** A message of a person or bot in a thread. */
export type ThreadMessage = ContextLine & {
  /** An app or webhook wrote it; may be this bot. */
  readonly isBot?: boolean | undefined;
};

/** The messages before a question that could be read. */
export type EarlierMessages = {
  /** Oldest first. */
  readonly messages: readonly ThreadMessage[];
  /** The time in ms after which the rest can be read, or everything if nothing was read. */
  readonly retryAfterMs?: number | undefined;
};

/** A channel, or with a `root` the thread of that message. */
export type HistoryPlace = Omit<Thread, 'root'> & { readonly root?: MessageId | undefined };

export type HistoryRange = {
  /** Older messages are left out (ms since 1970). */
  readonly since?: number | undefined;
  /** The most messages to read. `incomplete` tells which are left out. */
  readonly maxMessages: number;
  /** In a channel, read the replies in this many threads too: the most recently active. */
  readonly maxThreads?: number | undefined;
};

export type HistoryMessage = {
  readonly id: MessageId;
  /** Set for a reply in a thread of the channel. */
  readonly root?: MessageId | undefined;
  /** Display name. */
  readonly author: string;
  /** Absent for bots that the platform does not identify. */
  readonly by?: UserId | undefined;
  /** An app or webhook wrote it; may be this bot. */
  readonly isBot?: boolean | undefined;
  /** ms since 1970. */
  readonly at: number;
  readonly text: string;
  readonly attachments?: readonly Attachment[] | undefined;
  /** Permalink for people. */
  readonly link?: string | undefined;
  /** Who reacted to it, as far as the platform lists people with its messages. Discord does not. */
  readonly reactedBy?: readonly UserId[] | undefined;
};

export type History = {
  readonly messages: readonly HistoryMessage[];
  /** Why messages are missing: there are older ones, later ones, or the platform limits reading. */
  readonly incomplete?: 'older' | 'later' | 'slowed' | undefined;
  /** Threads whose replies were not read. */
  readonly unreadThreads: number;
  /** Messages without text, because the platform withholds it. */
  readonly withoutText: number;
};

/** A channel or thread cannot be read. */
export class HistoryUnavailableError extends Error {
  override readonly name = 'HistoryUnavailableError';
  /**
   * `not-member`: the bot is not in the channel; `no-permission`: it lacks these `permissions` or scopes; `no-thread`: the root message
   * is deleted; `wordless`: the platform withholds the text; `slowed`: the bot can read after `retryAfterMs`.
   */
  readonly reason: 'not-member' | 'no-permission' | 'no-thread' | 'wordless' | 'slowed';
  readonly permissions: string;
  readonly retryAfterMs: number;

  constructor(
    reason: HistoryUnavailableError['reason'],
    { permissions = '', retryAfterMs = 0, cause }: Partial<Omit<HistoryUnavailableError, 'reason'>> = {},
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
  /** The workspace of the author, if the platform sent it. */
  readonly authorWorkspace?: WorkspaceId | undefined;
  /** Whether a bot wrote it: this one, or another. */
  readonly isBot?: boolean | undefined;
  readonly text: string;
  readonly attachments: Attachment[];
};
