import type {
  Attachment,
  Card,
  Modal,
  Interaction,
  MessageId,
  Thread,
  InteractionToken,
  TurnRef,
  UserId,
} from '../../domain/index.ts';
import type { TextMessage } from '../../i18n/index.ts';
import type { Reply, ReplyContext } from './reply.ts';
import type { History, HistoryPlace, HistoryRange, EarlierMessages } from './history.ts';

export * from './history.ts';
export * from './reply.ts';

/** A status may say no more than that the bot is at work, or what it waits for: for the first time, or how a wait stands that was told of. */
export type StatusKind = 'work' | 'wait' | 'waiting';
/** What a flow wants of Slack or Discord. */
export interface Platform {
  /**
   * Shows a passing word in the thread ("is thinking…") until the answer is visible; empty words end that. A platform may show a
   * sign of its own instead. Never throws.
   */
  showStatus(turn: TurnRef, words: string, kind?: StatusKind): Promise<void>;
  /** What somebody reads (a BCP 47 tag), as far as the platform tells. Never rejects. */
  getLocale(turn: TurnRef, user: UserId): Promise<string | undefined>;
  /** What an earlier, broken-off attempt at this turn may have left in the thread. */
  findOrphanedMessages(turn: TurnRef): Promise<OrphanedMessages>;
  /** Opens the visible answer. `existing` are messages of this turn to be reused rather than posted anew. */
  reply(turn: TurnRef, existing: readonly MessageId[], about?: ReplyContext): Reply;
  /** Shows the person that a message waiting for its turn was seen. Never throws; safe to repeat. */
  acknowledge(turn: TurnRef): Promise<void>;
  /**
   * Says something in the thread that only `to` sees. `instead` of an answer that there will be none of: what tells others
   * that one is on its way is taken away. Resolves with whether they were told: Discord lets an app say such a thing only to who
   * called something lately. Never throws.
   */
  postEphemeral(turn: TurnRef, to: UserId, words: string, instead?: boolean): Promise<boolean>;
  /**
   * Whether another ticket has come for this answer since. What says that it is on its way by this one is then taken away: nothing
   * will follow there. Rejects when that cannot be looked up. Absent where there are no tickets.
   */
  isSuperseded?(turn: TurnRef, ticket: Pick<InteractionToken, 'id' | 'token'>): Promise<boolean>;
  /**
   * Removes the messages of this turn's answer: those given and, unless it is `certain` that these are all, those that the platform
   * ties to it. Safe to repeat.
   */
  deleteAnswer(turn: TurnRef, posted: readonly MessageId[], certain?: boolean): Promise<void>;
  /**
   * What was said in the thread before the turn's message, oldest first, or what that replies to where the thread begins with it; empty
   * where it may not be read. Never rejects.
   */
  fetchEarlierMessages(turn: TurnRef): Promise<EarlierMessages>;
  /**
   * Reads what was said in a channel or a thread, oldest first. Rejects with HistoryUnavailable where the bot may not read, or not
   * now.
   */
  readHistory(place: HistoryPlace, range: HistoryRange): Promise<History>;
  /**
   * A message as it stands; undefined where it is gone or may not be read. Rejects with HistoryUnavailable where the platform lets the bot
   * read only later. Absent where nothing is called by a message's id
   * alone: on Discord, whose reactions the bot does not hear.
   */
  findMessage?(place: Omit<Thread, 'root'>, findMessage: MessageId): Promise<FoundMessage | undefined>;
  /**
   * Looks for the messages with recordings that a turn can mean, oldest first, the newest of them where there are many; rejects
   * when the platform cannot be asked, with HistoryUnavailable where none was found and it lets the bot read on only later. Undefined where none can be that the bot has not heard.
   */
  findRecordings?(turn: TurnRef): (() => Promise<readonly FoundMessage[]>) | undefined;
  /** Whether the turn's message is known to be gone. Never rejects; absent where that cannot be told. */
  isDeleted?(turn: TurnRef): Promise<boolean>;
  /**
   * What a file is of which the message told no more than that there is one. Never rejects: it stays as it is where the platform
   * does not say. Absent where messages tell all.
   */
  resolveFile?(place: Omit<Thread, 'root'>, attachment: Attachment): Promise<Attachment>;
  /** A file's content. Rejects with FileUnavailableError when it cannot be had; the reason is for people. */
  downloadFile(turn: TurnRef, attachment: Attachment, mostBytes: number): Promise<Uint8Array>;
}

/** Messages of the bot, each kind oldest first. */
export type OrphanedMessages = {
  /** The platform ties them to the turn. */
  readonly own: readonly MessageId[];
  /** Answers of which the platform does not say to which question of the thread they belong. */
  readonly untied: readonly MessageId[];
  /** The platform lets the bot look only now and then, and not now: there may be some. */
  readonly unsearched?: true | undefined;
};

/** A message that was looked up. */
export type FoundMessage = {
  readonly thread: Thread;
  readonly id: MessageId;
  readonly author: UserId;
  readonly text: string;
  readonly attachments: Attachment[];
};

/** What a flow wants of Slack or Discord beside answers: cards, files, and answers that one person sees. */
export interface CardMessenger {
  /**
   * Posts a card in the thread, or makes the message `existing` look like it. `key` names the card: posted again with
   * the same key, it is found and not doubled. Resolves with its message. Rejects when it cannot be shown; with FileUnavailableError
   * where the platform does not take its files.
   */
  postCard(
    thread: Thread,
    postCard: Card,
    key: string,
    existing?: MessageId,
    options?: CardOptions,
  ): Promise<MessageId>;
  /** Removes a card, and the files in its message; not looked for where it is known that it `hasFiles: false`. Safe to repeat. */
  removeCard(thread: Thread, existing: MessageId, options?: { readonly hasFiles: boolean }): Promise<void>;
  /** Answers a call while its ticket lasts: for who called alone, unless `openly`. Rejects with ReplyRefused where no further try would help. */
  respond(invocation: Interaction, postCard: Card, openly?: boolean): Promise<void>;
  /**
   * Shows in a thread that work on a call goes on ("is translating…"), until empty words end that. Absent where the platform
   * shows it by itself until the call is answered. `isAnswering`: an answer is being made in the thread too, and what shows that is not
   * ended along with them. Never rejects.
   */
  showWorking?(thread: Thread, words: string, isAnswering?: boolean): Promise<void>;
  /**
   * Hands a file to who called, where they alone see it, with its words. Done again with the same key it may come twice.
   * Rejects with FileUnavailableError when the platform does not take it.
   */
  sendFilePrivately(invocation: Interaction, file: Upload, key: string): Promise<void>;
  /** By its name, how a command is written so that people can press it; absent where they can press none. Never rejects. */
  commandMentions?(place: Pick<Interaction, 'platform' | 'workspace'>): Promise<ReadonlyMap<string, string>>;
  /** Writes to a person privately, without a call of theirs. Rejects when the person cannot be written to. */
  sendDirectMessage(to: Pick<Thread, 'platform' | 'workspace'>, user: UserId, postCard: Card): Promise<void>;
  /**
   * Opens a form for who called, which comes back as a call of kind `form`. Once for a call, within 3 s of it, and before
   * it is answered in any other way. Rejects when it is too late.
   */
  openModal(invocation: Interaction, form: Modal): Promise<void>;
  /**
   * Posts a card in the channel of a call, for a conversation to hang on: resolves with the turn that the call is to
   * become. Safe to repeat. Rejects with CannotPostError where the bot may not write.
   */
  startThread(invocation: Interaction, postCard: Card): Promise<TurnRef>;
  /** Where a message can be seen, as an address for people. Rejects when the message is not there. */
  getPermalink(thread: Thread, message: MessageId): Promise<string>;
  /** Puts a file into the thread, once for each `key`. Rejects with FileUnavailableError when it is too large for the place. */
  upload(thread: Thread, file: Upload, key: string): Promise<MessageId>;
  /**
   * The messages that hold what was uploaded as `name` by this key. More than one, where a worker that was given up put
   * it there at the same time as the one after it. None where the bot may not look.
   */
  findUploads(thread: Thread, name: string, key: string): Promise<MessageId[]>;
}

export type CardOptions = {
  /** No other attempt uses the same key, before or after: there is nothing to be found by it. */
  readonly isNew?: boolean | undefined;
};

/** What a platform knows of a person, as far as it tells. */
export type UserProfile = {
  /** A BCP 47 tag. */
  readonly locale?: string | undefined;
  /** Whether they administer the workspace. */
  readonly admin?: boolean | undefined;
  /** Their time zone (IANA). */
  readonly zone?: string | undefined;
};

/** What a person is in a workspace, as far as permission goes by it. */
export type MemberRoles = {
  /** Whether they administer it. */
  readonly admin: boolean;
  /** Ids of their roles, or of the groups that they are in. */
  readonly roles: readonly string[];
};

/** A file on its way to people. `content` is read once, and never held whole. */
export type Upload = {
  readonly name: string;
  readonly mimetype: string;
  readonly bytes: number;
  readonly content: AsyncIterable<Uint8Array>;
  /** Whom it is for: named above it. */
  readonly by?: UserId | undefined;
  /** Markdown above the file. Mentions in it are inert. */
  readonly words?: string | undefined;
  /** Makes it a voice message, where the platform has those. */
  readonly voice?: { readonly seconds: number; readonly waveform: Uint8Array } | undefined;
};

/** The message that the thread hangs on is gone, or the place it is in: nothing more can be said there. */
export class ThreadDeletedError extends Error {
  override readonly name = 'ThreadGone';
}

/** The bot may not write there: it is not in the channel, or not allowed to. */
export class CannotPostError extends Error {
  override readonly name = 'CardRefused';
}

/** Who called cannot be answered by this ticket, however often it is tried: it has run out, or the platform refuses what it is to show. */
export class ReplyRefused extends Error {
  override readonly name: string = 'ReplyRefused';
}

/** A file cannot be had, or not be put somewhere. `why` is for people: what happened, and what to do. */
export class FileUnavailableError extends Error {
  override readonly name = 'FileRefused';
  readonly why: TextMessage;
  constructor(why: TextMessage) {
    super(why[0]);
    this.why = why;
  }
}
