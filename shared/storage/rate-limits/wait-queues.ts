import {
  countAvailableRequests,
  countPassed,
  getRequiredReserve,
  type GcraRule,
  getStartTag,
  type QueueTurn,
  computeTurns,
  type Waiter,
} from '../../rate-limits/index.ts';
import {
  type BucketState,
  shareAttribute,
  parseShare,
  WAITERS,
  addEntry,
  listActive,
  listExpired,
  startShare,
  removeStale,
  isFull,
  removeEntries,
  toQueueState,
  NO_SHARE_CHANGE,
  nextShare,
  listEntryTexts,
  HAS_FREE_ENTRY,
  getLeaseEnd,
  listSuperseded,
  continueShare,
} from './bucket-item.ts';
import { type ExtraWrite, mergeWrites } from '../dynamodb/update-parts.ts';
import type {
  Grant,
  PositionStatus,
  QueuePosition,
  WaitingPosition,
  WaitingRequest,
} from './queue-position.ts';
import type { TokenBuckets } from './token-buckets.ts';

/** A waiter renews its lease when less than this is left. */
const RENEW_LEASE_MS = 8_000;
/** Within this time, one read of a queue serves all waiters of a process. */
const FRESH_MS = 200;
/** The delay before the next attempt when another process took the permit first. */
const RETAKE_MS = 50;
/** The delay before joining again after a failure. */
const RETRY_MS = 1_000;
/** Six digits in base 36. */
const MAX_ID = 36 ** 6;

/** The wait queues of all keys. Each is stored in the item of the key's bucket; everyone who waits polls and takes their own turn. */
export class WaitQueues {
  readonly #buckets: TokenBuckets;
  readonly #now: () => number;
  readonly #random: () => number;
  /** The turns computed from one read of a queue. They hold moments, which do not depend on when they are computed. */
  readonly #turns = new WeakMap<BucketState['waiters'], CachedTurns>();

  /** `random` in [0, 1): for the ids of those who wait. */
  constructor(buckets: TokenBuckets, now: () => number, random: () => number) {
    this.#buckets = buckets;
    this.#now = now;
    this.#random = random;
  }

  /**
   * Takes the right to send one request if nobody waits, this person has not asked recently, and `headroom` more
   * requests could be sent. One conditional write. No write where this process knows that it would fail.
   */
  async takeFree(
    key: string,
    rule: GcraRule,
    asker: WaitingRequest,
    headroom: number,
  ): Promise<Grant | undefined> {
    const now = this.#now();
    const state = this.#buckets.lastSeen(key);
    const share = parseShare(state.shares.get(shareAttribute(asker.person ?? '')));
    const isCounted = asker.person !== undefined && !asker.isContinuation;
    const hasToQueue = listActive(state, now).length > 0 || (isCounted && share.next > now);
    if (hasToQueue || countAvailableRequests({ rule, tat: state.tat }, now) < 1 + headroom) return undefined;
    const { along, undo } = isCounted ? startShare(asker.person, rule, now, asker.weight) : NO_SHARE_CHANGE;
    const free = 'attribute_not_exists(#waiters)';
    const grant = await this.#buckets.takeNow(
      key,
      rule,
      headroom,
      mergeWrites(
        along,
        { conditions: [free], names: { '#waiters': WAITERS } },
        removeStale(state, now, { gone: [], besides: asker.person }),
      ),
    );
    return grant && { undo };
  }

  /** The turn that this asker would have, by a fresh read of the queue. */
  async predictTurn(
    key: string,
    rule: GcraRule,
    asker: WaitingRequest,
  ): Promise<{ readonly turn: QueueTurn; readonly state: BucketState }> {
    const state = await this.#buckets.state(key);
    const now = this.#now();
    const queue = toQueueState(state, rule, now);
    const waiter = this.#waiter(asker, getStartTag(queue, now), now);
    const turns = computeTurns({ ...queue, waiters: [...queue.waiters, waiter] }, now);
    return { turn: findTurn(turns, waiter.id), state };
  }

  /** Takes the right to send one request without joining the queue; undefined if what was read is no longer true. */
  async takeTurn(
    key: string,
    rule: GcraRule,
    asker: WaitingRequest,
    { turn, state }: TurnReading,
    headroom = 0,
  ): Promise<Grant | undefined> {
    const now = this.#now();
    const isCounted = asker.person !== undefined && !asker.isContinuation;
    const { along, undo } = isCounted ? nextShare(asker.person, state, turn) : NO_SHARE_CHANGE;
    const left = getRequiredReserve(turn, now) + headroom;
    const forgotten = removeStale(state, now, { gone: listExpired(state, now), besides: asker.person });
    const grant = await this.#buckets.takeNow(key, rule, left, mergeWrites(along, forgotten));
    return grant && { undo };
  }

  /** Joins the queue; undefined if it is full. */
  async join(key: string, rule: GcraRule, asker: WaitingRequest): Promise<PositionStatus | undefined> {
    const now = this.#now();
    if (isFull(this.#buckets.lastSeen(key)) && !(await this.#clear(key))) return undefined;
    const queue = toQueueState(this.#buckets.lastSeen(key), rule, now);
    const waiter = this.#waiter(asker, getStartTag(queue, now), now);
    return this.#enter({ key, rule, waiter, isKept: asker.id !== undefined }, HAS_FREE_ENTRY);
  }

  /** Removes what counts no more; resolves with whether there was any. */
  async #clear(key: string): Promise<boolean> {
    const superseded = listSuperseded(this.#buckets.lastSeen(key), this.#now());
    if (superseded.length > 0) await this.#buckets.change(key, removeEntries(superseded));
    return superseded.length > 0;
  }

  /** The position that is kept in this queue under this id, as it stands; its turn is not taken. */
  async find(key: string, rule: GcraRule, id: string): Promise<WaitingPosition | undefined> {
    const state = await this.#buckets.state(key, FRESH_MS);
    const now = this.#now();
    const mine = listActive(state, now).find((entry) => entry.id === id);
    if (!mine) return undefined;
    const { untilMs, ...waiter } = mine;
    const place = { key, rule, waiter, isKept: true };
    const turn = this.#findTurn(state, rule, id, now);
    await this.#renew(place, untilMs, turn);
    return { sent: false, place, waitMs: Math.max(0, Math.ceil(turn.dueMs - now)), ahead: turn.ahead };
  }

  /** The status of a position. If its turn has come, the turn is taken, and the request is to be sent. */
  async poll(place: QueuePosition): Promise<PositionStatus> {
    const { key, rule, waiter } = place;
    for (const maxAgeMs of [FRESH_MS, 0]) {
      const state = await this.#buckets.state(key, maxAgeMs);
      const now = this.#now();
      const mine = listActive(state, now).find(({ id }) => id === waiter.id);
      // A read from before it joined does not have it.
      if (!mine) continue;
      const turn = this.#findTurn(state, rule, waiter.id, now);
      if (turn.dueMs > now) {
        await this.#renew(place, mine.untilMs, turn);
        return { sent: false, place, waitMs: Math.ceil(turn.dueMs - now), ahead: turn.ahead };
      }
      const grant = await this.#take(place, state, turn);
      if (grant) return { sent: true, ...grant };
    }
    const state = this.#buckets.lastSeen(key);
    const isKnown = listActive(state, this.#now()).some(({ id }) => id === waiter.id);
    // Its lease ran out, or its turn passed: it joins again with its old times, and so keeps its position.
    if (isKnown) return { sent: false, place, waitMs: RETAKE_MS, ahead: 0 };
    return (await this.#enter(place)) ?? { sent: false, place, waitMs: RETRY_MS, ahead: 0 };
  }

  /** Leaves the queue. */
  async leave({ key, waiter }: QueuePosition): Promise<void> {
    const seen = this.#buckets.lastSeen(key);
    const state = listEntryTexts(seen, waiter.id).length > 0 ? seen : await this.#buckets.state(key);
    const own = listEntryTexts(state, waiter.id);
    if (own.length > 0)
      await this.#buckets.change(key, removeEntries([...own, ...listExpired(state, this.#now())]));
  }

  #findTurn(state: BucketState, rule: GcraRule, id: string, now: number): QueueTurn {
    return findTurn(this.#listTurns(state, rule, now), id);
  }

  #listTurns(state: BucketState, rule: GcraRule, now: number): readonly QueueTurn[] {
    const known = this.#turns.get(state.waiters);
    if (known && known.tat === state.tat && known.intervalUs === rule.intervalUs && now < known.untilMs)
      return known.turns;
    const queue = toQueueState(state, rule, now);
    const turns = computeTurns(queue, now);
    const untilMs = Math.min(...listActive(state, now).map((entry) => entry.untilMs));
    this.#turns.set(state.waiters, { tat: state.tat, intervalUs: rule.intervalUs, turns, untilMs });
    return turns;
  }

  /** When it would be the turn of somebody who joins, by what this process knows of the queue. */
  #dueMs({ key, rule, waiter }: QueuePosition, now: number): number {
    const queue = toQueueState(this.#buckets.lastSeen(key), rule, now);
    return findTurn(computeTurns({ ...queue, waiters: [...queue.waiters, waiter] }, now), waiter.id).dueMs;
  }

  /** Renews the lease if it would end before the next poll, or before the turn of a kept position. */
  async #renew({ key, waiter, isKept }: QueuePosition, untilMs: number, { dueMs }: QueueTurn): Promise<void> {
    const now = this.#now();
    if (untilMs - (isKept ? Math.max(now, dueMs) : now) >= RENEW_LEASE_MS) return;
    await this.#buckets.change(key, addEntry(waiter, getLeaseEnd(now, isKept ? dueMs : undefined)));
  }

  #waiter(request: WaitingRequest, tag: number, now: number): Waiter {
    const { id: named, person = '', weight, requestedAtMs, isContinuation } = request;
    const drawn = Math.floor(this.#random() * MAX_ID).toString(36);
    const id = named ?? drawn.padStart(6, '0');
    return {
      id,
      person,
      tag: Math.round(tag),
      requestedAtMs,
      sinceMs: now,
      weight: isContinuation ? 0 : weight,
    };
  }

  /** Writes the entry; undefined if the condition does not hold. */
  async #enter(place: QueuePosition, condition: ExtraWrite = {}): Promise<PositionStatus | undefined> {
    const { key, rule, waiter, isKept } = place;
    const now = this.#now();
    const untilMs = getLeaseEnd(now, isKept ? this.#dueMs(place, now) : undefined);
    const state = await this.#buckets.change(key, mergeWrites(addEntry(waiter, untilMs), condition));
    if (!state) return undefined;
    const turn = this.#findTurn(state, rule, waiter.id, now);
    return { sent: false, place, waitMs: Math.max(1, Math.ceil(turn.dueMs - now)), ahead: turn.ahead };
  }

  /** Takes a turn. The turns that it passes are removed, so that they delay nobody else: whoever still waits joins again. */
  async #take(
    { key, rule, waiter }: QueuePosition,
    state: BucketState,
    turn: QueueTurn,
  ): Promise<Grant | undefined> {
    const now = this.#now();
    const own = listEntryTexts(state, waiter.id);
    const { along, undo } =
      waiter.person === '' || waiter.weight === 0 ? NO_SHARE_CHANGE : continueShare(state, turn, now);
    const here = {
      conditions: ['contains(#waiters, :own)'],
      names: { '#waiters': WAITERS },
      values: { ':own': { S: own[0] ?? '' } },
    };
    const passed = countPassed(turn, { rule, tat: state.tat }, now);
    const unused = this.#listTurns(state, rule, now)
      .slice(0, passed)
      .flatMap((each) => listEntryTexts(state, each.waiter.id));
    const removed = [...own, ...unused, ...listExpired(state, now)];
    const also = mergeWrites(along, here, removeStale(state, now, { gone: removed, besides: waiter.person }));
    const grant = await this.#buckets.takeNow(key, rule, getRequiredReserve(turn, now), also);
    return grant && { undo };
  }
}

type CachedTurns = {
  readonly tat: number;
  readonly intervalUs: number;
  readonly turns: readonly QueueTurn[];
  /** When the first entry expires. */
  readonly untilMs: number;
};
type TurnReading = { readonly turn: QueueTurn; readonly state: BucketState };

function findTurn(turns: readonly QueueTurn[], id: string): QueueTurn {
  const turn = turns.find(({ waiter }) => waiter.id === id);
  if (!turn) throw new Error('the wait queue does not have the waiter whose turn is asked for');
  return turn;
}
