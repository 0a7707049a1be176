import type { MessageId, Thread, Turn, TurnRef, UserId } from '../../domain/index.ts';
import { OPEN_INDEX } from '../../runtime/shared-names.ts';
import { TurnIntake } from './turn-intake.ts';
import { type HandBack, heldClaim, type TurnClaim } from './turn-claim.ts';
import { type DueTurn, type DueWhy, readDue } from './due-turns.ts';
import { type ThreadPast, noPast, readPast, searchPast } from './history.ts';
import { isTooLarge, pack, TurnTooLargeError } from '../dynamodb/turn-compression.ts';
import { renewPointers } from '../privacy/person-pointers.ts';
import { ratersOf } from '../interactions/rating-keys.ts';
import { findThreadStarter, findTurnOfMessage, type LocatedTurn } from './turn-lookup.ts';
import { type Item, keyOf, readItem } from './turn-item.ts';
import { numeral, type TurnsConfig, TurnTable, ignoreRefusedCondition } from './turn-table.ts';
import { type SignalledTurn, signalsIn } from './pending-questions.ts';

/** Where a turn stands in its thread: see `ThreadPast`. */
export type TurnPosition = Pick<ThreadPast, 'from' | 'number'>;

/** The turns of all threads, in the `conversations` table. Every write is one conditional write of one item. */
export class Turns extends TurnIntake {
  readonly #config: TurnsConfig;
  readonly #table: TurnTable;

  constructor(config: TurnsConfig) {
    super(config);
    this.#config = config;
    this.#table = new TurnTable(config);
  }

  /**
   * The same, where turns are kept for another number of days: those that are written from now on, and of those that were
   * written before, what is older counts as gone.
   */
  keptFor(days: number | undefined): Turns {
    return days === undefined ? this : new Turns({ ...this.#config, days, noOlderThan: days });
  }

  /**
   * Claims the turn for `leaseMs`. While someone else's claim lasts, says until when; `takeOver` takes it from them. Each claim has
   * a higher fence than the one before, and only the last one's writes are accepted.
   */
  async claim(ref: TurnRef, leaseMs: number, takeOver = false): Promise<TurnClaim> {
    const now = this.#table.now();
    const claimed = await ignoreRefusedCondition(
      this.#table.update(
        ref,
        // Whoever claims it looks at its marks: nobody has to show its message again.
        'SET lease = :until, fence = if_not_exists(fence, :zero) + :one REMOVE receipt',
        `attribute_exists(pk)${takeOver ? '' : ' AND (attribute_not_exists(lease) OR lease < :now)'}`,
        {
          ':until': numeral(now + leaseMs),
          ...(takeOver ? {} : { ':now': numeral(now) }),
          ':zero': numeral(0),
          ':one': numeral(1),
        },
      ),
    );
    if (claimed) return heldClaim(claimed, ref);
    const item = await this.#table.get(keyOf(ref.thread, ref.message));
    return item ? { kind: 'taken', untilMs: readItem(item).lease ?? 0 } : { kind: 'gone' };
  }

  /** Makes the claim last `leaseMs` from now; 0 gives it back. Rejects with ConditionFailed once it is someone else's. */
  async renew(ref: TurnRef, fence: number, leaseMs: number): Promise<void> {
    const until = leaseMs === 0 ? 0 : this.#table.now() + leaseMs;
    await this.#table.update(ref, 'SET lease = :until', 'fence = :fence', {
      ':until': numeral(until),
      ':fence': numeral(fence),
    });
  }

  /**
   * Leaves the turn to whoever claims it next, and resolves with the mark on it, whoever made it and when: whoever marks it afterwards finds
   * what `how.waits` says. Rejects with ConditionFailed once the claim is someone else's.
   */
  async handBack(ref: TurnRef, fence: number, how: HandBack): Promise<SignalledTurn | undefined> {
    const { leaseMs, isUntouched, waits } = how;
    const until = leaseMs === 0 ? 0 : this.#table.now() + leaseMs;
    const { receipt, known } = waits ?? {};
    const changes = [
      'lease = :until',
      ...(isUntouched ? ['untouched = :fence'] : []),
      ...(waits ? ['waits = :fence'] : []),
      ...(receipt === undefined ? [] : ['receipt = :receipt']),
      ...(known === undefined ? [] : ['known = :known']),
    ];
    const item = await this.#table.update(ref, `SET ${changes.join(', ')}`, 'fence = :fence', {
      ':until': numeral(until),
      ':fence': numeral(fence),
      ...(receipt === undefined ? {} : { ':receipt': { S: receipt } }),
      ...(known === undefined ? {} : { ':known': { S: known } }),
    });
    return item && signalsIn(item);
  }

  /** Remembers the messages of the answer. Rejects with ConditionFailed once the claim is someone else's. */
  async savePosted(ref: TurnRef, fence: number, posted: readonly MessageId[]): Promise<void> {
    await this.#table.update(ref, 'SET posted = :posted', 'fence = :fence', {
      ':posted': { L: posted.map((id) => ({ S: id })) },
      ':fence': numeral(fence),
    });
  }

  /** Remembers the card with the questions that are offered below the answer. */
  async saveFollowUps(ref: TurnRef, card: MessageId): Promise<void> {
    await ignoreRefusedCondition(
      this.#table.update(ref, 'SET followups = :card', 'attribute_exists(pk)', { ':card': { S: card } }),
    );
  }

  /**
   * What was said in this thread before this turn, as far as the next prompt may need it, and what waits behind it. A
   * question that `begins` its thread has no past: nothing is read, and what waits is left to the turn after it.
   */
  async past(ref: TurnRef, begins = false): Promise<ThreadPast> {
    return begins ? noPast(ref) : readPast(this.#table, ref);
  }

  /** The newest ended turns of the thread before this one in which all these words stand, at most `most`. */
  search(ref: TurnRef, query: string, most: number): Promise<Turn[]> {
    return searchPast(this.#table, ref, query, most);
  }

  /** The turn that asked with a message or answered by it; without one, the last that is over. */
  seen(thread: Thread, message?: MessageId): Promise<LocatedTurn | undefined> {
    return findTurnOfMessage(this.#table, thread, message);
  }

  /** Who asked first in a thread. */
  beginner(thread: Thread): Promise<UserId | undefined> {
    return findThreadStarter(this.#table, thread);
  }

  /**
   * Ends the turn: question and ending in one write, the only one that makes them part of the thread. Rejects with
   * ConditionFailed when the claim is someone else's or the turn has ended, with TurnTooLargeError when it has more than can be kept:
   * repeated, both fail again. `reconcileAtMs` asks for a later look.
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

  /**
   * Replaces the ending, and the question if it was changed, because of the wish `revision`. Rejects with
   * ConditionFailed when the claim is someone else's, with TurnTooLargeError when it has more than can be kept.
   */
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

  /** Takes the turn out of the thread. */
  async remove(ref: TurnRef, fence: number): Promise<void> {
    await this.#table.remove(ref, fence);
  }

  /** Takes the turn's words out of the thread, and asks for a later look at whether all of its answer is gone. */
  async empty(ref: TurnRef, fence: number, lookAtMs: number): Promise<void> {
    const item = await this.#table.change(
      ref,
      'SET mark = :mark, #open = :why, due = :due, lease = :free REMOVE body, ask, files, posted, attempts',
      'fence = :fence',
      {
        ':mark': { S: 'deleted' },
        ':why': { S: 'reconcile' },
        ':due': numeral(lookAtMs / 1000),
        ':free': numeral(0),
        ':fence': numeral(fence),
      },
    );
    await this.#table.removeRatings(item ?? {});
  }

  /** Asks for a later look at whether the answer is visible once. */
  async lookAgain(ref: TurnRef, atMs: number): Promise<void> {
    await this.#table.update(ref, 'SET #open = :why, due = :due REMOVE attempts', 'attribute_exists(pk)', {
      ':why': { S: 'reconcile' },
      ':due': numeral(atMs / 1000),
    });
  }

  /** The turns whose later look is due, at most `most` of each kind, the longest due first. */
  async due(most: number): Promise<DueTurn[]> {
    const kinds = await Promise.all((['unsent', 'reconcile'] as const).map((why) => this.#dueFor(why, most)));
    return kinds.flat();
  }

  /**
   * The later look that was due was taken. One that was asked for since stays. A question that is queued by it is answered by itself, since it may have
   * been deleted before it was on record.
   */
  async settle(ref: TurnRef): Promise<void> {
    await ignoreRefusedCondition(
      this.#table.update(ref, 'REMOVE #open, due, attempts, ask, files', 'due <= :now', {
        ':now': numeral(this.#table.seconds()),
      }),
    );
  }

  /** The later look that was due could not be queued: it is due again at `atMs`, and the failure is counted. */
  async postpone({ key, attempts }: DueTurn, atMs: number): Promise<void> {
    const values = { ':due': numeral(atMs / 1000), ':attempts': numeral(attempts + 1) };
    await this.#ofDue(key, 'SET due = :due, attempts = :attempts', values);
  }

  /** No later look is taken at it any more. */
  async abandon({ key }: DueTurn): Promise<void> {
    await this.#ofDue(key, 'REMOVE #open, due, attempts');
  }

  /** Changes an item whose look is due by now; one that was asked for since stays. */
  async #ofDue(key: Item, change: string, values: Item = {}): Promise<void> {
    const condition = 'attribute_exists(#open) AND due <= :now';
    const now = { ':now': numeral(this.#table.seconds()) };
    await this.#table.changeItem(key, change, condition, { ...values, ...now });
  }

  async #end(
    ref: TurnRef,
    condition: string,
    { fence, turn, place, revision, reconcileAtMs }: End,
  ): Promise<void> {
    const { message: _, ...words } = turn;
    const ttl = numeral(this.#table.expiry());
    // First, so that nobody's words are stored to which nothing leads from them.
    const speakers = new Set(turn.contextLines?.flatMap(({ by }) => by ?? []));
    await renewPointers(this.#config, { ...keyOf(ref.thread, ref.message), ttl }, [...speakers]);
    const again = reconcileAtMs === undefined ? '' : ', #open = :why, due = :due';
    const granted = revision === undefined ? '' : ', rev = :rev';
    const write = this.#table.change(
      ref,
      `SET body = :body, lease = :free, #from = :from, n = :n, #ttl = :ttl${again}${granted} REMOVE ask, files, mark, wish, attempts`,
      condition,
      {
        ':body': { B: pack(words) },
        ':from': { S: place.from },
        ':n': numeral(place.number),
        ':ttl': ttl,
        // Whoever wants this answer changed need not wait for the claim to run out.
        ':free': numeral(0),
        ':fence': numeral(fence),
        ...(reconcileAtMs === undefined
          ? {}
          : { ':why': { S: 'reconcile' }, ':due': numeral(reconcileAtMs / 1000) }),
        ...(revision === undefined ? {} : { ':rev': { S: revision } }),
      },
    );
    const item = await write.catch((error: unknown) => {
      throw isTooLarge(error) ? new TurnTooLargeError('its item', { cause: error }) : error;
    });
    // Who thinks something of an answer is found for as long as the turn is kept, which is longer now.
    if (revision !== undefined && item) await renewPointers(this.#config, item, ratersOf(item));
  }

  async #dueFor(why: DueWhy, most: number): Promise<DueTurn[]> {
    const keys = await this.#table.due(OPEN_INDEX.name, why, most);
    const found = await Promise.all(keys.map((key) => this.#table.get(key)));
    return found.flatMap((item, i) => {
      const key = keys[i];
      if (!item || !key || !this.#table.alive(item) || item['open']?.S !== why) return [];
      return [readDue(key, why, item)];
    });
  }
}

type End = {
  readonly fence: number;
  readonly turn: Turn;
  readonly place: TurnPosition;
  readonly revision?: string;
  readonly reconcileAtMs?: number | undefined;
};
