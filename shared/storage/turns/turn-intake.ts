import type { Attachment, MessageId, Thread, TurnRef } from '../../domain/index.ts';
import { goneOf } from '../recordings/recording-keys.ts';
import { acceptTurn, signalTurn } from './turn-mutations.ts';
import { askedAt, CLOSED, FIRST, type Item, keyOf, LAST, sentAt } from './turn-keys.ts';
import { numeral, type TurnsConfig, TurnTable } from './turn-table.ts';

/** A question that is recorded so long after it was written is looked up on the platform: it may have been deleted before. */
const LATE_AFTER_MS = 3_000;
/** In less time nobody deletes a message that they have just written, and no platform tells of it. */
const MIN_DELETION_MS = 1_000;
/** No platform tells of a message so long afterwards: the id is no moment then. */
const OLD_AFTER_MS = 86_400_000;

/** How questions get into the `conversations` table: all that a front needs of it to take one in. */
export class TurnIntake {
  readonly #table: TurnTable;

  constructor(config: TurnsConfig) {
    this.#table = new TurnTable(config);
  }

  /**
   * Whether the bot takes part in this thread, and the thread is still there. With `at`: whether it did when that message was
   * written. Events may come late and in any order, and what was said before the bot was called is not said to it.
   */
  async knows(thread: Thread, at?: MessageId): Promise<boolean> {
    // Half a unit finds nearly every thread of ours; only one that began within the second needs the other look.
    const item = (await this.#newest(thread, false)) ?? (await this.#newest(thread, true));
    if (item === undefined || !this.#table.alive(item) || item['sk']?.S === CLOSED) return false;
    if (at === undefined || !isLater(item, at)) return true;
    const earlier = await this.#newest(thread, true, keyOf(thread, at).sk.S);
    return earlier !== undefined && this.#table.alive(earlier);
  }

  /**
   * Writes down that this message is to be answered. Repeated for the same message, it changes nothing. Resolves with whether it is late:
   * then it is answered by itself, as its worker has to look first whether the message is still there.
   */
  async accept(ref: TurnRef, question: string, attachments: readonly Attachment[]): Promise<boolean> {
    const ageMs = this.#table.now() - 1_000 * sentAt(ref.message);
    const isLate = ageMs > LATE_AFTER_MS && ageMs < OLD_AFTER_MS;
    await acceptTurn(this.#table, ref, isLate ? undefined : question, attachments);
    return isLate;
  }

  /**
   * Signals a question as deleted if its message was deleted before it was on record: the write took long, or failed before. To be called
   * after `accept`. Resolves with whether it was. Costs a read where the message was written more than a second ago.
   */
  async dropDeleted(ref: TurnRef): Promise<boolean> {
    const ageMs = this.#table.now() - 1_000 * sentAt(ref.message);
    if (ageMs <= MIN_DELETION_MS || ageMs >= OLD_AFTER_MS) return false;
    if (!(await this.#table.get(goneOf(ref)))) return false;
    await signalTurn(this.#table, ref, 'deleted');
    return true;
  }

  /** Keeps a question that could not be queued, so that the sweeper queues it. */
  async markUnsent(
    ref: TurnRef,
    question: string,
    attachments: readonly Attachment[],
    dueMs: number,
  ): Promise<void> {
    await this.#table.update(
      ref,
      'SET #open = :why, due = :due, ask = :ask, files = :files',
      // A later look that is asked for must not be lost: whoever asked for it has the question.
      'attribute_exists(pk) AND attribute_not_exists(#open)',
      {
        ':why': { S: 'unsent' },
        ':due': numeral(dueMs / 1000),
        ':ask': { S: question },
        ':files': { S: JSON.stringify(attachments) },
      },
    );
  }

  async #newest(thread: Thread, consistent: boolean, last = LAST): Promise<Item | undefined> {
    const options = { ScanIndexForward: false, Limit: 1, ConsistentRead: consistent };
    return (await this.#table.query(thread, FIRST, last, options)).Items?.[0];
  }
}

/** Whether a turn was asked for after a message was written, as far as their ids tell. */
const isLater = (turn: Item, message: MessageId): boolean =>
  Number.isFinite(askedAt(turn)) && askedAt(turn) > sentAt(message);
