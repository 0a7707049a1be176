import { listOtherPeople } from '../../domain/index.ts';
import type { MessageId, Thread, Turn, TurnRef, UserId } from '../../domain/index.ts';
import { OPEN_INDEX } from '../../runtime/index.ts';
import { TurnIntake } from './turn-intake.ts';
import {
  type HandBack,
  claimFromItem,
  type TurnClaim,
  parseTurnItem,
  type StoredSignal,
  getStoredSignal,
} from './turn-item.ts';
import { type DueTurn, type DueReason, toDueTurn } from './due-turns.ts';
import { findDeleted, rememberForgotten } from './deleted-questions.ts';
import { type ThreadHistory, createEmptyHistory, readHistory, searchHistory } from './history.ts';
import { isTooLarge, compressTurn, TurnTooLargeError } from '../dynamodb/turn-compression.ts';
import { renewPointers, listRaters, type Item, turnKey, numberValue } from '../keys/item-keys.ts';
import { findLastTurnOfPerson, findThreadStarter, findTurnOfMessage, type FoundTurn } from './turn-lookup.ts';
import { type TurnsConfig, TurnTable, ignoreConditionFailure } from './turn-table.ts';

/** The position of a turn in its thread: see `ThreadHistory`. */
export type TurnPosition = Pick<ThreadHistory, 'from' | 'number'>;

/** The turns of all threads, in the `conversations` table. Each write of a turn is one conditional write. */
export class Turns extends TurnIntake {
  readonly #config: TurnsConfig;
  readonly #table: TurnTable;

  constructor(config: TurnsConfig) {
    super(config);
    this.#config = config;
    this.#table = new TurnTable(config);
  }

  /** Returns the store for another retention period: it applies to new turns, and older turns count as expired. */
  withRetention(days: number | undefined): Turns {
    return days === undefined ? this : new Turns({ ...this.#config, days, noOlderThan: days });
  }

  /**
   * Claims the turn for `leaseMs`. While another claim lasts, resolves with its end; `takeOver` replaces it. Each claim has a higher fence than the one
   * before, and only writes with the last fence are accepted. `queueMessage`: the id of the message with the task. Once that was given up it gets `taken`.
   */
  async claim(ref: TurnRef, leaseMs: number, takeOver = false, queueMessage?: string): Promise<TurnClaim> {
    const now = this.#table.now();
    const isFree = takeOver ? '' : ' AND (attribute_not_exists(lease) OR lease < :now)';
    const isLive = queueMessage === undefined ? '' : ' AND (attribute_not_exists(dead) OR dead <> :message)';
    const claimed = await ignoreConditionFailure(
      this.#table.update(
        ref,
        // The claimer reads the signal: nobody has to make its message visible.
        'SET lease = :until, fence = if_not_exists(fence, :zero) + :one REMOVE receipt',
        `attribute_exists(pk)${isFree}${isLive}`,
        {
          ':until': numberValue(now + leaseMs),
          ...(takeOver ? {} : { ':now': numberValue(now) }),
          ...(queueMessage === undefined ? {} : { ':message': { S: queueMessage } }),
          ':zero': numberValue(0),
          ':one': numberValue(1),
        },
      ),
    );
    if (claimed) return claimFromItem(claimed, ref);
    const item = await this.#table.get(turnKey(ref.thread, ref.message));
    return item ? { kind: 'taken', untilMs: parseTurnItem(item).lease ?? 0 } : { kind: 'gone' };
  }

  /** Extends the claim to `leaseMs` from now; 0 releases it. Rejects with ConditionFailedError if another worker has claimed the turn. */
  async renew(ref: TurnRef, fence: number, leaseMs: number): Promise<void> {
    const until = leaseMs === 0 ? 0 : this.#table.now() + leaseMs;
    await this.#table.update(ref, 'SET lease = :until', 'fence = :fence', {
      ':until': numberValue(until),
      ':fence': numberValue(fence),
    });
  }

  /** Leaves the turn to the next delivery of its task. Resolves with its signal; rejects with ConditionFailedError if another worker has claimed it. */
  async handBack(ref: TurnRef, fence: number, handBack: HandBack): Promise<StoredSignal | undefined> {
    const { leaseMs, isUntouched, receipt, known } = handBack;
    const until = leaseMs === 0 ? 0 : this.#table.now() + leaseMs;
    const changes = [
      'lease = :until',
      'waits = :fence',
      ...(isUntouched ? ['untouched = :fence'] : []),
      ...(receipt === undefined ? [] : ['receipt = :receipt']),
      ...(known === undefined ? [] : ['known = :known']),
    ];
    const item = await this.#table.update(ref, `SET ${changes.join(', ')}`, 'fence = :fence', {
      ':until': numberValue(until),
      ':fence': numberValue(fence),
      ...(receipt === undefined ? {} : { ':receipt': { S: receipt } }),
      ...(known === undefined ? {} : { ':known': { S: known } }),
    });
    return item && getStoredSignal(item);
  }

  /** Stores the messages of the answer. Rejects with ConditionFailedError if another worker has claimed the turn. */
  async savePosted(ref: TurnRef, fence: number, posted: readonly MessageId[]): Promise<void> {
    await this.#table.update(ref, 'SET posted = :posted', 'fence = :fence', {
      ':posted': { L: posted.map((id) => ({ S: id })) },
      ':fence': numberValue(fence),
    });
  }

  /** Stores the card with follow-up questions. */
  async saveFollowUps(ref: TurnRef, card: MessageId): Promise<void> {
    await ignoreConditionFailure(
      this.#table.update(ref, 'SET followups = :card', 'attribute_exists(pk)', { ':card': { S: card } }),
    );
  }

  /** Returns the history that the next prompt may need, and the pending questions: none of them for a question that `begins` its thread. */
  async history(ref: TurnRef, begins = false): Promise<ThreadHistory> {
    return begins ? createEmptyHistory(ref) : readHistory(this.#table, ref);
  }

  /** Returns the newest ended turns before this one that contain all words of the query, at most `limit`. */
  search(ref: TurnRef, query: string, limit: number): Promise<Turn[]> {
    return searchHistory(this.#table, ref, query, limit);
  }

  /** Stores that a person had this question forgotten. */
  rememberForgotten(thread: Thread, message: MessageId): Promise<void> {
    return rememberForgotten(this.#table, thread, message);
  }

  /** Returns those of these questions that were deleted or forgotten. */
  findDeleted(thread: Thread, messages: readonly MessageId[]): Promise<ReadonlySet<MessageId>> {
    return findDeleted(this.#table, thread, messages);
  }

  /** Finds the turn with this question or answer message; without a message, the last ended turn. */
  findByMessage(thread: Thread, message?: MessageId): Promise<FoundTurn | undefined> {
    return findTurnOfMessage(this.#table, thread, message);
  }

  /** Finds the last question of a person in a channel, in whichever thread. */
  findLastOfPerson(place: Omit<Thread, 'root'>, user: UserId): Promise<FoundTurn | undefined> {
    return findLastTurnOfPerson(this.#table, place, user);
  }

  /** Returns who asked the first question of a thread. */
  findThreadStarter(thread: Thread): Promise<UserId | undefined> {
    return findThreadStarter(this.#table, thread);
  }

  /**
   * Ends the turn: the one write that adds question and outcome to the thread. Rejects with ConditionFailedError if another worker has claimed the turn
   * or it has ended, with TurnTooLargeError if it is too large; retries fail in the same way. `reconcileAtMs` schedules a later check.
   */
  async commit(
    ref: TurnRef,
    fence: number,
    turn: Turn,
    place: TurnPosition,
    reconcileAtMs?: number,
  ): Promise<void> {
    await this.#end(ref, 'fence = :fence AND attribute_not_exists(body)', {
      fence,
      turn,
      place,
      reconcileAtMs,
    });
  }

  /** Replaces the outcome, and the question if it was edited, for the request `revision`. Rejects like `commit`, but not because the turn has ended. */
  async rewrite(
    ref: TurnRef,
    fence: number,
    turn: Turn,
    place: TurnPosition,
    revision: string,
    reconcileAtMs: number,
  ): Promise<void> {
    await this.#end(ref, 'fence = :fence', { fence, turn, place, revision, reconcileAtMs });
  }

  /** Deletes the turn. */
  async remove(ref: TurnRef, fence: number): Promise<void> {
    await this.#table.remove(ref, fence);
  }

  /** Deletes the content of the turn and schedules a check that all of its answer is deleted. */
  async removeContent(ref: TurnRef, fence: number, lookAtMs: number): Promise<void> {
    const item = await this.#table.updateTurn(
      ref,
      'SET mark = :mark, #open = :why, due = :due, lease = :free REMOVE body, ask, files, posted, attempts, live',
      'fence = :fence',
      {
        ':mark': { S: 'deleted' },
        ':why': { S: 'reconcile' },
        ':due': numberValue(lookAtMs / 1000),
        ':free': numberValue(0),
        ':fence': numberValue(fence),
      },
    );
    await this.#table.removeRatings(item ?? {});
  }

  /** Schedules a check that the answer is visible exactly once. */
  async scheduleReconcile(ref: TurnRef, atMs: number): Promise<void> {
    await this.#table.update(ref, 'SET #open = :why, due = :due REMOVE attempts', 'attribute_exists(pk)', {
      ':why': { S: 'reconcile' },
      ':due': numberValue(atMs / 1000),
    });
  }

  /** Returns the turns that are due for a check, at most `limit` of each reason, the longest due first. */
  async listDue(limit: number): Promise<DueTurn[]> {
    const reasons = ['unsent', 'reconcile'] as const;
    return (await Promise.all(reasons.map((reason) => this.#listDueFor(reason, limit)))).flat();
  }

  /**
   * Marks a due check as done; a check that was scheduled since stays. The pending question is deleted: a question that the check queues is answered
   * separately, because it may be deleted on the platform.
   */
  async completeDue(ref: TurnRef): Promise<void> {
    await ignoreConditionFailure(
      this.#table.update(ref, 'REMOVE #open, due, attempts, ask, files', 'due <= :now', {
        ':now': numberValue(this.#table.seconds()),
      }),
    );
  }

  /** Postpones a due check that could not be queued to `atMs`, and counts the failure. */
  async postponeDue({ key, attempts }: DueTurn, atMs: number): Promise<void> {
    const values = { ':due': numberValue(atMs / 1000), ':attempts': numberValue(attempts + 1) };
    await this.#updateDue(key, 'SET due = :due, attempts = :attempts', values);
  }

  /** Cancels the due check. */
  async abandonDue({ key }: DueTurn): Promise<void> {
    await this.#updateDue(key, 'REMOVE #open, due, attempts');
  }

  /** Updates an item that is due; a check that was scheduled since stays. */
  async #updateDue(key: Item, change: string, values: Item = {}): Promise<void> {
    const condition = 'attribute_exists(#open) AND due <= :now';
    const now = { ':now': numberValue(this.#table.seconds()) };
    await this.#table.changeItem(key, change, condition, { ...values, ...now });
  }

  async #end(
    ref: TurnRef,
    condition: string,
    { fence, turn, place, revision, reconcileAtMs }: TurnEnd,
  ): Promise<void> {
    const { message: _, ...words } = turn;
    const ttl = numberValue(this.#table.expiry());
    // Written first, so that no stored text of a person lacks its pointer.
    const people = new Set(listOtherPeople(turn));
    await renewPointers(this.#config, { ...turnKey(ref.thread, ref.message), ttl }, [...people]);
    const again = reconcileAtMs === undefined ? '' : ', #open = :why, due = :due';
    const granted = revision === undefined ? '' : ', rev = :rev';
    const write = this.#table.updateTurn(
      ref,
      `SET body = :body, lease = :free, #from = :from, n = :n, #ttl = :ttl${again}${granted} REMOVE ask, files, mark, wish, attempts, live`,
      condition,
      {
        ':body': { B: compressTurn(words) },
        ':from': { S: place.from },
        ':n': numberValue(place.number),
        ':ttl': ttl,
        // A request to change this answer need not wait for the end of the lease.
        ':free': numberValue(0),
        ':fence': numberValue(fence),
        ...(reconcileAtMs === undefined
          ? {}
          : { ':why': { S: 'reconcile' }, ':due': numberValue(reconcileAtMs / 1000) }),
        ...(revision === undefined ? {} : { ':rev': { S: revision } }),
      },
    );
    const item = await write.catch((error: unknown) => {
      throw isTooLarge(error) ? new TurnTooLargeError('its item', { cause: error }) : error;
    });
    // The pointers of raters must live as long as the turn, which now lives longer.
    if (revision !== undefined && item) await renewPointers(this.#config, item, listRaters(item));
  }

  async #listDueFor(reason: DueReason, limit: number): Promise<DueTurn[]> {
    const keys = await this.#table.listDueKeys(OPEN_INDEX.name, reason, limit);
    const items = await Promise.all(keys.map((key) => this.#table.get(key)));
    return items.flatMap((item, i) => {
      const key = keys[i];
      if (!item || !key || !this.#table.isAlive(item) || item['open']?.S !== reason) return [];
      return [toDueTurn(key, reason, item)];
    });
  }
}

type TurnEnd = {
  readonly fence: number;
  readonly turn: Turn;
  readonly place: TurnPosition;
  readonly revision?: string;
  readonly reconcileAtMs?: number | undefined;
};
