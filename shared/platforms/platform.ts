import type { MessageId, TurnRef } from '../conversation/index.ts';

/** What a flow wants of Slack or Discord. */
export interface Platform {
  /** Shows a passing word in the thread ("thinking", "3rd in line") until the answer is visible. Never throws. */
  status(turn: TurnRef, words: string): Promise<void>;
  /** The messages that an earlier, broken-off attempt at this turn left in the thread, oldest first. */
  leftovers(turn: TurnRef): Promise<MessageId[]>;
  /** Opens the visible answer. `existing` are messages of this turn to be reused rather than posted anew. */
  reply(turn: TurnRef, existing: readonly MessageId[]): Reply;
}

/** An answer on its way to people. */
export interface Reply {
  /** Adds to the visible answer, paced as the platform allows. Never throws: what fails is mended by `finish`. */
  write(words: string): void;
  /** Resolves once the first message exists, with every message posted so far. Rejects when it cannot be posted. */
  posted(): Promise<MessageId[]>;
  /** Whether a call's outcome is unknown, so that a message of this answer may exist that nobody here knows of. */
  readonly doubtful: boolean;
  /** Makes the visible answer exactly `text`, removing what is too many. Safe to repeat, also by a later worker. */
  finish(text: string): Promise<MessageId[]>;
}
