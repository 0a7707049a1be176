import type { MessageId, Thread, TurnRef } from '../../domain/index.ts';
import type { EarlierMessages, FoundMessage, History, HistoryPlace, HistoryRange } from './history.ts';

/** Reads what people wrote in threads and channels. */
export interface ThreadReader {
  /**
   * The messages before the turn's, oldest first, or what it replies to if the thread begins with it; empty where the bot may not read.
   * Never rejects.
   */
  fetchEarlierMessages(turn: TurnRef): Promise<EarlierMessages>;
  /** Reads a channel or thread, oldest first. Rejects with HistoryUnavailableError where the bot may not read, or not now. */
  readHistory(place: HistoryPlace, range: HistoryRange): Promise<History>;
  /**
   * A message by its id; undefined where it is deleted or unreadable, and on Discord, where no reaction refers to a message.
   * Rejects with HistoryUnavailableError while the platform limits reading.
   */
  findMessage(place: Omit<Thread, 'root'>, message: MessageId): Promise<FoundMessage | undefined>;
  /**
   * Returns a search for the newest messages with recordings that a turn can refer to, oldest first;
   * undefined if the bot already knows all of them. The search rejects if the platform fails, with
   * HistoryUnavailableError during a rate limit.
   */
  findRecordings(turn: TurnRef): (() => Promise<readonly FoundMessage[]>) | undefined;
  /**
   * The texts with names in place of the ids of people whom they mention; undefined if there are no such ids, as where the platform's
   * events have the names. A name that the platform does not tell in time stays an id. Never rejects.
   */
  nameMentions(place: Omit<Thread, 'root'>, texts: readonly string[]): Promise<readonly string[]> | undefined;
  /** Whether the turn's message is known to be deleted. Never rejects; false where the platform does not tell. */
  isDeleted(turn: TurnRef): Promise<boolean>;
}
