import type { InteractionToken, MessageId, TurnRef, UserId } from '../../domain/index.ts';
import type { OrphanedMessages, Reply, ReplyContext, StatusKind } from './reply.ts';

/** Shows the answer to a question in its thread, and what precedes or replaces it. */
export interface AnswerPublisher {
  /** Shows a status ("is thinking…") until the answer is visible; an empty text ends it. Never throws. */
  showStatus(turn: TurnRef, text: string, kind?: StatusKind): Promise<void>;
  /** Shows that a message that waits for its turn was received. Never throws; safe to repeat. */
  acknowledge(turn: TurnRef): Promise<void>;
  /** Opens the visible answer. `existing` messages of this turn are reused. */
  reply(turn: TurnRef, existing: readonly MessageId[], context?: ReplyContext): Reply;
  /** Finds messages that an earlier, aborted attempt at this turn may have left. */
  findOrphanedMessages(turn: TurnRef): Promise<OrphanedMessages>;
  /**
   * Removes the messages of the answer: `posted` and, unless these are all (`isComplete`), those that the platform ties to it. Safe to
   * repeat.
   */
  deleteAnswer(turn: TurnRef, posted: readonly MessageId[], isComplete?: boolean): Promise<void>;
  /**
   * Posts a text that only `recipient` sees. With `replacesAnswer`, also removes signs that an answer will follow. Resolves
   * with whether they can see it: Discord needs a recent interaction. Never throws.
   */
  postEphemeral(turn: TurnRef, recipient: UserId, text: string, replacesAnswer?: boolean): Promise<boolean>;
  /** Whether a newer interaction token took over this answer; if so, removes what shows that one follows by this token. */
  isSuperseded(turn: TurnRef, token: Pick<InteractionToken, 'id' | 'token'>): Promise<boolean>;
}
