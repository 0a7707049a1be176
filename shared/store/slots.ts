import {
  CLASSES,
  type Decision,
  type Family,
  type Holder,
  heldUntil,
  LEARNS,
  learnedLimit,
  type Limit,
  placesOf,
  type Priority,
  reservedOf,
  type Rule,
  ruleFor,
  SHARE,
  WITHOUT_TABLE,
} from '../limits/index.ts';
import type { Buckets } from './buckets.ts';
import type { KeyPlace } from './own-keys.ts';
import type { LinePlace, Places } from './places.ts';

/** Who wants to send a request, and how long he would stand in line. */
export type SlotAsk = {
  readonly maxWaitMs: number;
  readonly priority: Priority;
  /** For which workspace or guild: it may have a key of its own. */
  readonly home?: KeyPlace | undefined;
  /** Names within the deployment, and how many times the usual share this one has. Without them no share is kept. */
  readonly person?: string | undefined;
  readonly channel?: string | undefined;
  readonly weight?: number | undefined;
};

/** A reserved slot: for which key, and what it takes to find out whether it was put off. */
export type Slot = { readonly key: string; readonly putOffUs: number };

export type SlotDecision =
  /** Send after `waitMs`; so many others come first. */
  | { readonly granted: true; readonly waitMs: number; readonly ahead: number; readonly slot: Slot }
  /** Worth asking again after `retryAfterMs`, not sooner. */
  | { readonly granted: false; readonly retryAfterMs: number };

/** What an answer of the upstream said about limits. */
export type Heard = {
  readonly status: number;
  readonly code?: string | undefined;
  readonly remaining?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly sentMs: number;
};

export type SlotsConfig = {
  readonly buckets: Buckets;
  readonly places: Places;
  readonly family: Family;
  readonly limit: Limit;
  /** The keys that may be used there now, by their names in the table. Any of them will do. */
  readonly keys: (home?: KeyPlace) => Promise<readonly string[]>;
  readonly now: () => number;
  /** Told when the table could not be asked, and what came of it. */
  readonly withoutTable?: ((granted: boolean, error: string) => void) | undefined;
};

/** A 429 that does not say for how long. */
const RETRY_MS = 1_000;

/** The right to send requests of one family, over all the keys there are: the key's bucket, and a fair share of it. */
export class KeySlots {
  readonly #config: SlotsConfig;
  #lastWithoutTable = -Infinity;

  constructor(config: SlotsConfig) {
    this.#config = config;
  }

  /** Takes or reserves the right to send one request. Never rejects for the table: see `WITHOUT_TABLE`. */
  async take(ask: SlotAsk): Promise<SlotDecision> {
    const keys = await this.#config.keys(ask.home);
    try {
      return await this.#take(keys, ask);
    } catch (error) {
      return this.#withoutTable(keys[0] ?? '', ask, error);
    }
  }

  /**
   * Takes the right to send one request if that is free for the asker at once, without standing in line; undefined if it
   * is not, or the table cannot be asked. To be sent, or given back, within half a second: see `EarlySlot`.
   */
  async takeFree(ask: Omit<SlotAsk, 'maxWaitMs'>): Promise<Slot | undefined> {
    try {
      const keys = await this.#config.keys(ask.home);
      const { headroom } = this.#share(keys, ask);
      const decision = await this.#any(keys, 0, headroom);
      return decision.granted ? decision.slot : undefined;
    } catch {
      return undefined;
    }
  }

  /** How much longer a slot whose time has come is to wait (ms); the table being gone, no longer. */
  async due(slot: Slot): Promise<{ readonly waitMs: number; readonly slot: Slot }> {
    try {
      const { waitMs, putOffUs } = await this.#config.buckets.putOff(this.#bucket(slot.key), slot.putOffUs);
      return { waitMs, slot: { ...slot, putOffUs } };
    } catch {
      return { waitMs: 0, slot };
    }
  }

  /** Gives back a slot of which nothing was sent. */
  async release({ key }: Slot): Promise<void> {
    const bucket = this.#bucket(key);
    await this.#config.buckets.release(bucket, this.#rule(bucket)).catch(() => undefined);
  }

  /** Takes in what an answer said: all workers wait where one is told to. Never rejects. */
  async heard({ key }: Slot, { status, code, remaining, retryAfterMs, sentMs }: Heard): Promise<void> {
    const { buckets, limit, family, now } = this.#config;
    const bucket = this.#bucket(key);
    const full = code === 'model_at_capacity' || code === 'insufficient_quota';
    const learns = LEARNS.has(family);
    try {
      if (status === 429 && !full) {
        const until = retryAfterMs === undefined ? undefined : now() + Math.max(RETRY_MS, retryAfterMs);
        await buckets.pause(bucket, this.#rule(bucket), until, sentMs, learns);
      } else if (remaining !== undefined && !learns) {
        await buckets.adopt(bucket, this.#rule(bucket), { limit, remaining, sentMs });
      }
    } catch {
      // The next answer says it again.
    }
  }

  async #take(keys: readonly string[], ask: SlotAsk): Promise<SlotDecision> {
    const { rule, holders, least, headroom } = this.#share(keys, ask);
    const free = await this.#any(keys, 0, headroom);
    if (free.granted || !CLASSES[ask.priority].standsInLine) return free;

    const waitMs = Math.min(ask.maxWaitMs, this.#waitMs(keys));
    const places: LinePlace[] = [];
    for (const holder of holders) {
      const held = await this.#config.places.hold(holder, heldUntil(rule, this.#config.now(), waitMs));
      if (!held.held) {
        await this.#free(places);
        return { granted: false, retryAfterMs: held.retryAfterMs };
      }
      places.push(held.place);
    }
    const decision = await this.#any(keys, ask.maxWaitMs, least);
    if (!decision.granted) await this.#free(places);
    return decision;
  }

  /** What an asker leaves of the burst: `headroom` while it has no place in line, `least` with one. */
  #share(keys: readonly string[], ask: Omit<SlotAsk, 'maxWaitMs'>) {
    const { standsInLine, headroom: ofClass } = CLASSES[ask.priority];
    const rule = this.#rule(this.#bucket(keys[0] ?? ''));
    const most = Math.floor((rule.toleranceUs / rule.intervalUs) * SHARE.reserved);
    const least = Math.min(ofClass, most);
    const holders = standsInLine ? holdersOf(ask, keys) : [];
    const leave = holders.length > 0 ? Math.min(most, reservedOf(rule)) : least;
    return { rule, holders, least, headroom: Math.max(leave, least) };
  }

  async #free(places: readonly LinePlace[]): Promise<void> {
    await Promise.all(places.map((place) => this.#config.places.free(place)));
  }

  /** Asks the keys one after the other, the one with the most room first. */
  async #any(keys: readonly string[], maxWaitMs: number, headroom: number): Promise<SlotDecision> {
    let soonest = Infinity;
    for (const wait of maxWaitMs > 0 && keys.length > 1 ? [0, maxWaitMs] : [maxWaitMs]) {
      for (const key of this.#byRoom(keys)) {
        const bucket = this.#bucket(key);
        const decision = await this.#config.buckets.take(bucket, this.#rule(bucket), {
          maxWaitMs: wait,
          headroom,
        });
        if (decision.granted) return granted(decision, key);
        soonest = Math.min(soonest, wait + decision.retryAfterMs);
      }
    }
    return { granted: false, retryAfterMs: Number.isFinite(soonest) ? soonest : RETRY_MS };
  }

  #byRoom(keys: readonly string[]): readonly string[] {
    const tat = (key: string): number => this.#config.buckets.seen(this.#bucket(key)).tat;
    return keys.length < 2 ? keys : keys.toSorted((a, b) => tat(a) - tat(b));
  }

  /** How long one would stand in line, by what this process knows. */
  #waitMs(keys: readonly string[]): number {
    const [key = ''] = this.#byRoom(keys);
    const bucket = this.#bucket(key);
    const { tat } = this.#config.buckets.seen(bucket);
    return Math.max(0, (tat - this.#rule(bucket).toleranceUs) / 1000 - this.#config.now());
  }

  #bucket(key: string): string {
    return `KEY#${key}#${this.#config.family}`;
  }

  #rule(bucket: string): Rule {
    const { limit, buckets, family, now } = this.#config;
    if (!LEARNS.has(family)) return ruleFor(limit);
    return ruleFor(learnedLimit(limit, buckets.seen(bucket).learned, now()));
  }

  #withoutTable(key: string, { priority }: SlotAsk, error: unknown): SlotDecision {
    const { now, withoutTable } = this.#config;
    const rule = WITHOUT_TABLE[priority];
    const everyMs = rule.kind === 'trickle' ? rule.everyMs : RETRY_MS;
    const since = now() - this.#lastWithoutTable;
    const may = rule.kind === 'trickle' && since >= everyMs;
    withoutTable?.(may, error instanceof Error ? error.name : 'unknown');
    if (!may) return { granted: false, retryAfterMs: Math.max(RETRY_MS, everyMs - since) };
    this.#lastWithoutTable = now();
    return { granted: true, waitMs: 0, ahead: 0, slot: { key, putOffUs: 0 } };
  }
}

function granted({ waitMs, ahead, putOffUs }: Extract<Decision, { granted: true }>, key: string) {
  return { granted: true, waitMs, ahead, slot: { key, putOffUs } } as const;
}

/** The places that a request needs in line: one of the person's, one of the channel's. */
function holdersOf(
  { person, channel, weight }: Omit<SlotAsk, 'maxWaitMs'>,
  keys: readonly string[],
): Holder[] {
  const of = [...keys].toSorted().join('+').slice(0, 64);
  return [
    ...(person === undefined
      ? []
      : [{ key: `LINE#${of}#${person}`, places: placesOf(SHARE.person, weight) }]),
    ...(channel === undefined ? [] : [{ key: `LINE#${of}#${channel}`, places: placesOf(SHARE.channel) }]),
  ];
}
