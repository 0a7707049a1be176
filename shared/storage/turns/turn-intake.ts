import type { Attachment, MessageId, Thread, TurnRef } from '../../domain/index.ts';
import { deletionKey } from '../keys/recording-keys.ts';
import { acceptTurn, signalTurn, type TurnsConfig, TurnTable } from './turn-table.ts';
import {
  getAskedTimeMs,
  CLOSED_THREAD_KEY,
  FIRST_TURN_KEY,
  type Item,
  turnKey,
  LAST_TURN_KEY,
  numberValue,
} from '../keys/item-keys.ts';
import { getMessageTimeMs } from '../../utils/index.ts';

/**
 * A question that is recorded this long after it was sent may already be deleted: its worker checks the
 * platform.
 */
const LATE_AFTER_MS = 3_000;
/** No deletion event arrives faster than this after the message was sent. */
const MIN_DELETION_MS = 1_000;
/** No platform sends events this late: then the id is not a timestamp. */
const MAX_EVENT_AGE_MS = 86_400_000;

/**
 * A recorded question. `isLate`: it is answered separately, and its worker first checks whether the message still
 * exists. `isNew`: it was not recorded before.
 */
export type AcceptedTurn = { readonly isLate: boolean; readonly isNew: boolean };

/** Records questions in the `conversations` table: all that a front needs. */
export class TurnIntake {
  readonly #table: TurnTable;

  constructor(config: TurnsConfig) {
    this.#table = new TurnTable(config);
  }

  /**
   * Whether the bot takes part in an open thread. With `at`: whether it did when that message was sent. Events
   * may be late and out of order, and earlier messages of a thread are not for the bot.
   */
  async isParticipating(thread: Thread, at?: MessageId): Promise<boolean> {
    // An eventually consistent read finds nearly every thread; only one that started within the last second
    // needs the second read.
    const item = (await this.#newest(thread, false)) ?? (await this.#newest(thread, true));
    if (item === undefined || !this.#table.isAlive(item) || item['sk']?.S === CLOSED_THREAD_KEY) return false;
    if (at === undefined || !isAskedAfter(item, at)) return true;
    const earlier = await this.#newest(thread, true, turnKey(thread, at).sk.S);
    return earlier !== undefined && this.#table.isAlive(earlier);
  }

  /**
   * Records a message that will be answered. Idempotent. `edit`: the key of the edit that the question comes from. `mayHaveFiles`: see
   * `IncomingMessage`.
   */
  async accept(
    ref: TurnRef,
    question: string,
    attachments: readonly Attachment[],
    edit?: string,
    mayHaveFiles?: boolean,
  ): Promise<AcceptedTurn> {
    const ageMs = this.#table.now() - getMessageTimeMs(ref.message);
    const isLate = ageMs > LATE_AFTER_MS && ageMs < MAX_EVENT_AGE_MS;
    const more = {
      ...(edit && { edit: { S: edit } }),
      ...(mayHaveFiles && { files: { S: '[]' } }),
    };
    const wasWritten = await acceptTurn(this.#table, ref, isLate ? undefined : question, attachments, more);
    return { isLate, isNew: wasWritten === true };
  }

  /**
   * Signals a question as deleted if its message was deleted before it was recorded, because the write was slow
   * or failed first. Call it after `accept`. Resolves with whether it was deleted. Costs a read if the message
   * was sent more than a second ago.
   */
  async dropDeleted(ref: TurnRef): Promise<boolean> {
    const ageMs = this.#table.now() - getMessageTimeMs(ref.message);
    if (ageMs <= MIN_DELETION_MS || ageMs >= MAX_EVENT_AGE_MS) return false;
    if (!(await this.#table.get(deletionKey(ref)))) return false;
    await signalTurn(this.#table, ref, 'deleted');
    return true;
  }

  /**
   * Stores a question that could not be queued, for the sweeper. Nothing is stored if the turn was recorded from
   * an edit, and the question is not from `edit`: it may be an older text. `attachments`: see `PendingQuestion`.
   */
  async markUnsent(
    ref: TurnRef,
    question: string,
    attachments: readonly Attachment[] | undefined,
    dueMs: number,
    edit?: string,
  ): Promise<void> {
    const isOfEdit = edit ? ' OR edit = :edit' : '';
    await this.#table.update(
      ref,
      `SET #open = :why, due = :due, ask = :ask${attachments ? ', files = :files' : ''}`,
      // An existing later check stays: whoever requested it has the question.
      `attribute_exists(pk) AND attribute_not_exists(#open) AND (attribute_not_exists(edit)${isOfEdit})`,
      {
        ...(edit && { ':edit': { S: edit } }),
        ':why': { S: 'unsent' },
        ':due': numberValue(dueMs / 1000),
        ':ask': { S: question },
        ...(attachments && { ':files': { S: JSON.stringify(attachments) } }),
      },
    );
  }

  async #newest(thread: Thread, consistent: boolean, last = LAST_TURN_KEY): Promise<Item | undefined> {
    const options = { ScanIndexForward: false, Limit: 1, ConsistentRead: consistent };
    return (await this.#table.query(thread, FIRST_TURN_KEY, last, options)).Items?.[0];
  }
}

/** Whether a turn was asked after a message was sent, as far as the ids show. */
const isAskedAfter = (turn: Item, message: MessageId): boolean =>
  Number.isFinite(getAskedTimeMs(turn)) && getAskedTimeMs(turn) > getMessageTimeMs(message);
