import type { QueueRules } from '../../template/resource-types.ts';

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
  /** The receive count. */
  readonly receives: number;
  readonly firstReceivedAt?: number | undefined;
};

/** A message with its delivery state. It is in flight until `hiddenUntil`. */
type DeliveryState = {
  message: QueueMessage;
  receipt: string | undefined;
  /** When it was received with this receipt. */
  heldSince: number;
  hiddenUntil: number;
};

/** A deduplication entry; it counts until `at` + DEDUP_MS. */
export type DedupEntry = {
  readonly key: string;
  readonly id: string;
  readonly sequence: number;
  readonly at: number;
};

/** The result of choosing messages: ready to receive, over the receive limit, and expired. */
export type MessageSelection = {
  readonly ready: readonly QueueMessage[];
  readonly dead: readonly QueueMessage[];
  readonly expired: readonly QueueMessage[];
};

/** SQS deduplicates for five minutes, even after the message was deleted. */
export const DEDUP_MS = 5 * 60_000;

const NO_GROUPS: ReadonlySet<string> = new Set();

export class FifoQueue {
  readonly rules: QueueRules;
  /** Messages by group in send order. Empty groups are removed. */
  readonly #groups = new Map<string, DeliveryState[]>();
  readonly #byReceipt = new Map<string, DeliveryState>();
  readonly #dedupEntries = new Map<string, DedupEntry>();

  constructor(rules: QueueRules) {
    this.rules = rules;
  }

  /** Returns the earlier message that makes this one a duplicate, if any. */
  findDuplicate(group: string, dedup: string, now: number): DedupEntry | undefined {
    const seen = this.#dedupEntries.get(this.#key(group, dedup));
    return seen !== undefined && now - seen.at < DEDUP_MS ? seen : undefined;
  }

  /** Adds a message to the end of its group and records its deduplication id. */
  add(message: QueueMessage): void {
    this.put(message);
    this.#removeExpired(message.sentAt);
    const key = this.#key(message.group, message.dedup);
    this.#dedupEntries.delete(key);
    this.remember({ key, id: message.id, sequence: message.sequence, at: message.sentAt });
  }

  /** Adds a message without deduplication: moved here, or restored from disk. */
  put(message: QueueMessage): void {
    const entry = { message, receipt: undefined, heldSince: 0, hiddenUntil: 0 };
    const group = this.#groups.get(message.group);
    if (group === undefined) this.#groups.set(message.group, [entry]);
    else group.push(entry);
  }

  remember(seen: DedupEntry): void {
    this.#dedupEntries.set(seen.key, seen);
  }

  /**
   * Chooses up to `max` messages without changing anything. A group with a message in flight is skipped; another group gives
   * its messages in order. The group with the oldest message is first, so that a busy group does not starve others. Messages
   * received `maxReceives` times are dead letters. Groups in `except` are skipped.
   */
  selectMessages(max: number, now: number, except: ReadonlySet<string> = NO_GROUPS): MessageSelection {
    const ready: QueueMessage[] = [];
    const dead: QueueMessage[] = [];
    const expired: QueueMessage[] = [];
    const limit = this.rules.deadLetters?.maxReceives ?? Number.POSITIVE_INFINITY;
    const waiting = [...this.#groups].toSorted(([, a], [, b]) => getFirstSequence(a) - getFirstSequence(b));
    for (const [name, group] of waiting) {
      if (ready.length >= max) break;
      if (except.has(name)) continue;
      if (group.some((entry) => entry.hiddenUntil > now)) continue;
      for (const { message } of group) {
        if (ready.length >= max) break;
        if (now - message.sentAt >= this.rules.retentionMs) expired.push(message);
        else if (message.receives >= limit) dead.push(message);
        else ready.push(message);
      }
    }
    return { ready, dead, expired };
  }

  /** Delivers a chosen message with `receipt` until `hiddenUntil`; an earlier receipt becomes invalid. */
  receive(
    id: string,
    group: string,
    receipt: string,
    hiddenUntil: number,
    now: number,
  ): QueueMessage | undefined {
    const entry = this.#find(id, group);
    if (entry === undefined) return undefined;
    if (entry.receipt !== undefined) this.#byReceipt.delete(entry.receipt);
    const firstReceivedAt = entry.message.firstReceivedAt ?? now;
    entry.message = { ...entry.message, receives: entry.message.receives + 1, firstReceivedAt };
    entry.receipt = receipt;
    entry.heldSince = now;
    entry.hiddenUntil = hiddenUntil;
    this.#byReceipt.set(receipt, entry);
    return entry.message;
  }

  /** Whether it has no messages at all. */
  isEmpty(): boolean {
    return this.#groups.size === 0;
  }

  /** Counts a receive before a restart; the message is visible again. */
  countReceive(id: string, group: string, at: number): void {
    const entry = this.#find(id, group);
    if (entry === undefined) return;
    const { message } = entry;
    entry.message = {
      ...message,
      receives: message.receives + 1,
      firstReceivedAt: message.firstReceivedAt ?? at,
    };
  }

  /** Returns the message of a receipt and whether it is in flight. A receipt is invalid after the next receive. */
  findByReceipt(
    receipt: string,
    now: number,
  ): { message: QueueMessage; inFlight: boolean; heldSince: number } | undefined {
    const entry = this.#byReceipt.get(receipt);
    return entry && { message: entry.message, inFlight: entry.hiddenUntil > now, heldSince: entry.heldSince };
  }

  /** Makes the message of `receipt` visible again at `hiddenUntil`. */
  hide(receipt: string, hiddenUntil: number): void {
    const entry = this.#byReceipt.get(receipt);
    if (entry !== undefined) entry.hiddenUntil = hiddenUntil;
  }

  remove(id: string, group: string): QueueMessage | undefined {
    const list = this.#groups.get(group);
    const index = list?.findIndex((entry) => entry.message.id === id) ?? -1;
    const entry = list?.[index];
    if (list === undefined || entry === undefined) return undefined;
    list.splice(index, 1);
    if (list.length === 0) this.#groups.delete(group);
    if (entry.receipt !== undefined) this.#byReceipt.delete(entry.receipt);
    return entry.message;
  }

  /** Returns when the next message in flight becomes visible; undefined if none is in flight. */
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
      for (const entry of group) {
        if (entry.hiddenUntil > now) inFlight += 1;
        else visible += 1;
      }
    }
    return { visible, inFlight };
  }

  /** Returns everything to store, in an order that restores the same queue. */
  snapshot(now: number): { messages: QueueMessage[]; seen: DedupEntry[] } {
    this.#removeExpired(now);
    const messages = [...this.#groups.values()].flat().map((entry) => entry.message);
    return { messages, seen: [...this.#dedupEntries.values()] };
  }

  #key(group: string, dedup: string): string {
    return this.rules.dedupScope === 'queue' ? dedup : `${group}\u0000${dedup}`;
  }

  #find(id: string, group: string): DeliveryState | undefined {
    return this.#groups.get(group)?.find((entry) => entry.message.id === id);
  }

  /** Entries are ordered by time, so the loop ends at the first current one. */
  #removeExpired(now: number): void {
    for (const [key, seen] of this.#dedupEntries) {
      if (now - seen.at < DEDUP_MS) return;
      this.#dedupEntries.delete(key);
    }
  }
}

/** Returns the sequence number of a group's first message. */
function getFirstSequence(group: readonly DeliveryState[]): number {
  return group[0]?.message.sequence ?? 0;
}
