import { available, leaveOf, type Rule, tagNow, type Turn, turnsOf, type Waiter } from '../limits/index.ts';
import { type BucketState, shareName, shareOf, WAITERS } from './bucket-item.ts';
import type { Along, Buckets } from './buckets.ts';
import {
  entering,
  entriesOf,
  expiredOf,
  firstShare,
  forgetting,
  isFull,
  joined,
  leaving,
  lineOf,
  NO_SHARE_CHANGED,
  nextShare,
  ownOf,
  ROOM_FOR_ONE,
  waitedShare,
} from './line-writes.ts';

/** Who is still there says so when less than this is left of that. */
const RENEW_MS = 8_000;
/** Of many who look at one line in one process, only one reads it within this time. */
const FRESH_MS = 200;
/** A turn that somebody else was quicker to take is looked at again after this. */
const AGAIN_MS = 50;
/** A line that could not be entered is tried again after this. */
const RETRY_MS = 1_000;
/** Six digits of base 36. */
const MAX_ID = 36 ** 6;

/** Who asks, by a short name; nobody in particular has none and keeps no share. */
export type Asker = {
  readonly person?: string | undefined;
  readonly weight: number;
  /** When the question was asked (ms since 1970). */
  readonly askedMs: number;
  /** The request goes on with an answer: it comes before others, and counts for no share. */
  readonly begun: boolean;
};

/** A place in the line of a key. */
export type LinePlace = { readonly key: string; readonly rule: Rule; readonly waiter: Waiter };

/** A request that was taken, and what takes back what is remembered of its person for it. */
export type Taken = { readonly undo?: Along | undefined };

/** How a place stands: its request may be sent now, or so many come before, and it is to be looked at again. */
export type Stands =
  | ({ readonly sent: true } & Taken)
  | { readonly sent: false; readonly place: LinePlace; readonly waitMs: number; readonly ahead: number };

/** Who waits for a key's requests, in the item of its bucket: everyone who waits looks and takes their own turn. */
export class Lines {
  readonly #buckets: Buckets;
  readonly #now: () => number;
  readonly #random: () => number;
  /** The turns by one reading of a line: moments that do not depend on when they are looked at. */
  readonly #turns = new WeakMap<BucketState['waiters'], Turns>();

  /** `random` in [0, 1): tells those apart who wait. */
  constructor(buckets: Buckets, now: () => number, random: () => number) {
    this.#buckets = buckets;
    this.#now = now;
    this.#random = random;
  }

  /**
   * Takes the right to send one request if nobody waits, this person has not asked of late, and `headroom` requests are
   * left. One conditional write; none where it is known to be in vain.
   */
  async takeFree(key: string, rule: Rule, asker: Asker, headroom: number): Promise<Taken | undefined> {
    const now = this.#now();
    const state = this.#buckets.seen(key);
    const share = shareOf(state.shares.get(shareName(asker.person ?? '')));
    const counts = asker.person !== undefined && !asker.begun;
    const known = entriesOf(state, now).length > 0 || (counts && share.next > now);
    if (known || available({ rule, tat: state.tat }, now) < 1 + headroom) return undefined;
    const { along, undo } = counts ? firstShare(asker.person, rule, now, asker.weight) : NO_SHARE_CHANGED;
    const free = 'attribute_not_exists(#waiters)';
    const taken = await this.#buckets.takeNow(
      key,
      rule,
      headroom,
      joined(
        along,
        { conditions: [free], names: { '#waiters': WAITERS } },
        forgetting(state, now, { gone: [], besides: asker.person }),
      ),
    );
    return taken && { undo };
  }

  /** The turn that this asker would have, by a reading of the line that is not older than this call. */
  async turnFor(
    key: string,
    rule: Rule,
    asker: Asker,
  ): Promise<{ readonly turn: Turn; readonly state: BucketState }> {
    const state = await this.#buckets.state(key);
    const now = this.#now();
    const line = lineOf(state, rule, now);
    const waiter = this.#waiter(asker, tagNow(line, now), now);
    const turns = turnsOf({ ...line, waiters: [...line.waiters, waiter] }, now);
    return { turn: turnOf(turns, waiter.id), state };
  }

  /** Takes the right to send one request without standing in line, by that reading; undefined if it holds no more. */
  async takeTurn(
    key: string,
    rule: Rule,
    asker: Asker,
    { turn, state }: Reading,
    headroom = 0,
  ): Promise<Taken | undefined> {
    const now = this.#now();
    const counts = asker.person !== undefined && !asker.begun;
    const { along, undo } = counts ? nextShare(asker.person, state, turn) : NO_SHARE_CHANGED;
    const left = leaveOf(turn, now) + headroom;
    const forgotten = forgetting(state, now, { gone: expiredOf(state, now), besides: asker.person });
    const taken = await this.#buckets.takeNow(key, rule, left, joined(along, forgotten));
    return taken && { undo };
  }

  /** Stands in line; undefined where that is as long as it may be. */
  async join(key: string, rule: Rule, asker: Asker): Promise<Stands | undefined> {
    const now = this.#now();
    const seen = this.#buckets.seen(key);
    if (isFull(seen)) return undefined;
    const line = lineOf(seen, rule, now);
    return this.#enter({ key, rule, waiter: this.#waiter(asker, tagNow(line, now), now) }, ROOM_FOR_ONE);
  }

  /** How a place stands now. Its turn is taken if it has come: then the request is to be sent. */
  async look(place: LinePlace): Promise<Stands> {
    const { key, rule, waiter } = place;
    for (const maxAgeMs of [FRESH_MS, 0]) {
      const state = await this.#buckets.state(key, maxAgeMs);
      const now = this.#now();
      const mine = entriesOf(state, now).find(({ id }) => id === waiter.id);
      // An older reading may not know of it yet.
      if (!mine) continue;
      const turn = this.#turnIn(state, rule, waiter.id, now);
      if (turn.dueMs > now) {
        if (mine.untilMs - now < RENEW_MS) await this.#buckets.change(key, entering(waiter, now));
        return { sent: false, place, waitMs: Math.ceil(turn.dueMs - now), ahead: turn.ahead };
      }
      const taken = await this.#take(place, state, turn);
      if (taken) return { sent: true, ...taken };
    }
    const state = this.#buckets.seen(key);
    const known = entriesOf(state, this.#now()).some(({ id }) => id === waiter.id);
    // It was not renewed in time, and is entered as it was.
    if (known) return { sent: false, place, waitMs: AGAIN_MS, ahead: 0 };
    return (await this.#enter(place)) ?? { sent: false, place, waitMs: RETRY_MS, ahead: 0 };
  }

  /** Leaves the line. */
  async leave({ key, waiter }: LinePlace): Promise<void> {
    const seen = this.#buckets.seen(key);
    const state = ownOf(seen, waiter.id).length > 0 ? seen : await this.#buckets.state(key);
    const own = ownOf(state, waiter.id);
    if (own.length > 0) await this.#buckets.change(key, leaving([...own, ...expiredOf(state, this.#now())]));
  }

  #turnIn(state: BucketState, rule: Rule, id: string, now: number): Turn {
    const known = this.#turns.get(state.waiters);
    if (known && known.tat === state.tat && known.intervalUs === rule.intervalUs && now < known.untilMs)
      return turnOf(known.turns, id);
    const line = lineOf(state, rule, now);
    const turns = turnsOf(line, now);
    const untilMs = Math.min(...entriesOf(state, now).map((entry) => entry.untilMs));
    this.#turns.set(state.waiters, { tat: state.tat, intervalUs: rule.intervalUs, turns, untilMs });
    return turnOf(turns, id);
  }

  #waiter({ person = '', weight, askedMs, begun }: Asker, tag: number, now: number): Waiter {
    const id = Math.floor(this.#random() * MAX_ID)
      .toString(36)
      .padStart(6, '0');
    return { id, person, tag: Math.round(tag), askedMs, sinceMs: now, weight: begun ? 0 : weight };
  }

  /** Undefined if that does not hold. */
  async #enter(place: LinePlace, condition: Along = {}): Promise<Stands | undefined> {
    const { key, rule, waiter } = place;
    const now = this.#now();
    const state = await this.#buckets.change(key, joined(entering(waiter, now), condition));
    if (!state) return undefined;
    const turn = this.#turnIn(state, rule, waiter.id, now);
    return { sent: false, place, waitMs: Math.max(1, Math.ceil(turn.dueMs - now)), ahead: turn.ahead };
  }

  async #take({ key, rule, waiter }: LinePlace, state: BucketState, turn: Turn): Promise<Taken | undefined> {
    const now = this.#now();
    const own = ownOf(state, waiter.id);
    const { along, undo } =
      waiter.person === '' || waiter.weight === 0 ? NO_SHARE_CHANGED : waitedShare(state, turn, now);
    const here = {
      conditions: ['contains(#waiters, :own)'],
      names: { '#waiters': WAITERS },
      values: { ':own': { S: own[0] ?? '' } },
    };
    const gone = [...own, ...expiredOf(state, now)];
    const also = joined(along, here, forgetting(state, now, { gone, besides: waiter.person }));
    const taken = await this.#buckets.takeNow(key, rule, leaveOf(turn, now), also);
    return taken && { undo };
  }
}

type Turns = {
  readonly tat: number;
  readonly intervalUs: number;
  readonly turns: readonly Turn[];
  /** When the first of them counts as gone. */
  readonly untilMs: number;
};
type Reading = { readonly turn: Turn; readonly state: BucketState };

function turnOf(turns: readonly Turn[], id: string): Turn {
  const turn = turns.find(({ waiter }) => waiter.id === id);
  if (!turn) throw new Error('a line without the one who waits in it');
  return turn;
}
