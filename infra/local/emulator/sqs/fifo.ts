/** One SQS FIFO queue as pure state: no clock, no disk, no network. Times are ms since 1970 and come in as arguments. */

/** What a queue promises, read from its resource in the template. */
export type QueueRules = {
  readonly name: string;
  readonly visibilityMs: number;
  readonly retentionMs: number;
  readonly contentDedup: boolean;
  /** High-throughput queues remember deduplication ids per group. */
  readonly dedupScope: 'queue' | 'messageGroup';
  readonly deadLetters?: { readonly queue: string; readonly maxReceives: number };
};

export type MessageAttribute = {
  readonly DataType: string;
  readonly StringValue?: string | undefined;
  readonly BinaryValue?: string | undefined;
};

export type QueueMessage = {
  readonly id: string;
  readonly group: string;
  readonly dedup: string;
  readonly body: string;
  readonly attributes: Readonly<Record<string, MessageAttribute>>;
  readonly trace?: string | undefined;
  readonly sentAt: number;
  readonly sequence: number;
  /** How often it was handed out. */
  readonly receives: number;
  readonly firstReceivedAt?: number | undefined;
};

/** A message and its present holder. It is in flight while `hiddenUntil` lies ahead. */
type Held = {
  message: QueueMessage;
  receipt: string | undefined;
  /** When it was handed out under that receipt. */
  heldSince: number;
  hiddenUntil: number;
};

/** An accepted send that makes a repetition harmless until `at` + DEDUP_MS. */
export type QueueSnapshot = {
  readonly key: string;
  readonly id: string;
  readonly sequence: number;
  readonly at: number;
};

/** What a receive would hand out now, what has to go to the dead letters first, and what is too old. */
export type Pick = {
  readonly ready: readonly QueueMessage[];
  readonly dead: readonly QueueMessage[];
  readonly expired: readonly QueueMessage[];
};

/** SQS remembers a deduplication id for five minutes, also after its message was deleted. */
export const DEDUP_MS = 5 * 60_000;

const NO_GROUPS: ReadonlySet<string> = new Set();

export class FifoQueue {
  readonly rules: QueueRules;
  /** Messages of a group in the order they were sent. A group without messages is not kept. */
  readonly #groups = new Map<string, Held[]>();
  readonly #byReceipt = new Map<string, Held>();
  readonly #seen = new Map<string, QueueSnapshot>();

  constructor(rules: QueueRules) {
    this.rules = rules;
  }

  /** The earlier accepted send that makes this one a repetition, if there is one. */
  duplicateOf(group: string, dedup: string, now: number): QueueSnapshot | undefined {
    const seen = this.#seen.get(this.#key(group, dedup));
    return seen !== undefined && now - seen.at < DEDUP_MS ? seen : undefined;
  }

  /** Puts a new message at the end of its group and remembers its deduplication id. */
  add(message: QueueMessage): void {
    this.put(message);
    this.#forgetOld(message.sentAt);
    const key = this.#key(message.group, message.dedup);
    this.#seen.delete(key);
    this.remember({ key, id: message.id, sequence: message.sequence, at: message.sentAt });
  }

  /** Puts a message at the end of its group without deduplication: moved here, or read back from disk. */
  put(message: QueueMessage): void {
    const held = { message, receipt: undefined, heldSince: 0, hiddenUntil: 0 };
    const group = this.#groups.get(message.group);
    if (group === undefined) this.#groups.set(message.group, [held]);
    else group.push(held);
  }

  remember(seen: QueueSnapshot): void {
    this.#seen.set(seen.key, seen);
  }

  /**
   * Chooses up to `max` messages without changing anything. A group with a message in flight gives none;
   * a free group gives as many as fit, in order; the group that waits longest is first, so that a busy one does not
   * keep the others waiting. Messages that were handed out `maxReceives` times are dead. Groups in `except` give none.
   */
  pick(max: number, now: number, except: ReadonlySet<string> = NO_GROUPS): Pick {
    const ready: QueueMessage[] = [];
    const dead: QueueMessage[] = [];
    const expired: QueueMessage[] = [];
    const limit = this.rules.deadLetters?.maxReceives ?? Number.POSITIVE_INFINITY;
    const waiting = [...this.#groups].toSorted(([, a], [, b]) => sequenceOf(a) - sequenceOf(b));
    for (const [name, group] of waiting) {
      if (ready.length >= max) break;
      if (except.has(name)) continue;
      if (group.some((held) => held.hiddenUntil > now)) continue;
      for (const { message } of group) {
        if (ready.length >= max) break;
        if (now - message.sentAt >= this.rules.retentionMs) expired.push(message);
        else if (message.receives >= limit) dead.push(message);
        else ready.push(message);
      }
    }
    return { ready, dead, expired };
  }

  /** Hands a picked message out under `receipt` until `hiddenUntil`; an older receipt of it is void. */
  hold(
    id: string,
    group: string,
    receipt: string,
    hiddenUntil: number,
    now: number,
  ): QueueMessage | undefined {
    const held = this.#find(id, group);
    if (held === undefined) return undefined;
    if (held.receipt !== undefined) this.#byReceipt.delete(held.receipt);
    const firstReceivedAt = held.message.firstReceivedAt ?? now;
    held.message = { ...held.message, receives: held.message.receives + 1, firstReceivedAt };
    held.receipt = receipt;
    held.heldSince = now;
    held.hiddenUntil = hiddenUntil;
    this.#byReceipt.set(receipt, held);
    return held.message;
  }

  /** Whether it holds no message, in flight or not. */
  isEmpty(): boolean {
    return this.#groups.size === 0;
  }

  /** Counts a hand-out that happened before a restart; the message itself stays visible. */
  count(id: string, group: string, at: number): void {
    const held = this.#find(id, group);
    if (held === undefined) return;
    const { message } = held;
    held.message = {
      ...message,
      receives: message.receives + 1,
      firstReceivedAt: message.firstReceivedAt ?? at,
    };
  }

  /** The message a receipt stands for, and whether it is in flight. A receipt is void after the next hand-out. */
  heldUnder(
    receipt: string,
    now: number,
  ): { message: QueueMessage; inFlight: boolean; heldSince: number } | undefined {
    const held = this.#byReceipt.get(receipt);
    return held && { message: held.message, inFlight: held.hiddenUntil > now, heldSince: held.heldSince };
  }

  /** Makes the message of `receipt` visible again at `hiddenUntil`. */
  hide(receipt: string, hiddenUntil: number): void {
    const held = this.#byReceipt.get(receipt);
    if (held !== undefined) held.hiddenUntil = hiddenUntil;
  }

  remove(id: string, group: string): QueueMessage | undefined {
    const list = this.#groups.get(group);
    const index = list?.findIndex((held) => held.message.id === id) ?? -1;
    const held = list?.[index];
    if (list === undefined || held === undefined) return undefined;
    list.splice(index, 1);
    if (list.length === 0) this.#groups.delete(group);
    if (held.receipt !== undefined) this.#byReceipt.delete(held.receipt);
    return held.message;
  }

  /** When the next message in flight becomes visible; undefined when none is in flight. */
  nextVisible(now: number): number | undefined {
    let next: number | undefined;
    for (const { hiddenUntil } of this.#byReceipt.values()) {
      if (hiddenUntil > now && (next === undefined || hiddenUntil < next)) next = hiddenUntil;
    }
    return next;
  }

  counts(now: number): { visible: number; inFlight: number } {
    let visible = 0;
    let inFlight = 0;
    for (const group of this.#groups.values()) {
      for (const held of group) {
        if (held.hiddenUntil > now) inFlight += 1;
        else visible += 1;
      }
    }
    return { visible, inFlight };
  }

  /** Everything that must survive, in an order that rebuilds the same queue. */
  snapshot(now: number): { messages: QueueMessage[]; seen: QueueSnapshot[] } {
    this.#forgetOld(now);
    const messages = [...this.#groups.values()].flat().map((held) => held.message);
    return { messages, seen: [...this.#seen.values()] };
  }

  #key(group: string, dedup: string): string {
    return this.rules.dedupScope === 'queue' ? dedup : `${group}\u0000${dedup}`;
  }

  #find(id: string, group: string): Held | undefined {
    return this.#groups.get(group)?.find((held) => held.message.id === id);
  }

  /** Entries are in order of time, so the walk ends at the first one that still counts. */
  #forgetOld(now: number): void {
    for (const [key, seen] of this.#seen) {
      if (now - seen.at < DEDUP_MS) return;
      this.#seen.delete(key);
    }
  }
}

/** The place of a group's first message in the order of sending. */
function sequenceOf(group: readonly Held[]): number {
  return group[0]?.message.sequence ?? 0;
}
