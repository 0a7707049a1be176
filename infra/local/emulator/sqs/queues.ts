import * as v from 'valibot';
import { FifoQueue, type MessageAttribute, type QueueMessage } from './fifo.ts';
import type { QueueRules } from '../../template/resource-types.ts';
import type { Journal } from './journal.ts';

/** Journal growth in lines before it is compacted. */
const COMPACT_AFTER_LINES = 20_000;
/** Minimum time between compactions of an idle journal, so that processed messages leave the file. */
const COMPACT_IDLE_INTERVAL_MS = 10_000;

const Message = v.object({
  id: v.string(),
  group: v.string(),
  dedup: v.string(),
  body: v.string(),
  attributes: v.record(
    v.string(),
    v.object({
      DataType: v.string(),
      StringValue: v.optional(v.string()),
      BinaryValue: v.optional(v.string()),
    }),
  ),
  trace: v.optional(v.string()),
  sentAt: v.number(),
  sequence: v.number(),
  receives: v.number(),
  firstReceivedAt: v.optional(v.number()),
});

/** A message is hidden for at most 12 hours from its receive, whatever was requested since. */
const MAX_VISIBILITY_MS = 43_200_000;

/** Journal records: sent, received, deleted, moved to dead letters; the last two only after a compaction. */
const JournalRecord = v.variant('what', [
  v.object({ what: v.literal('sent'), queue: v.string(), message: Message }),
  v.object({
    what: v.literal('taken'),
    queue: v.string(),
    id: v.string(),
    group: v.string(),
    at: v.number(),
  }),
  v.object({ what: v.literal('gone'), queue: v.string(), id: v.string(), group: v.string() }),
  v.object({ what: v.literal('dead'), queue: v.string(), id: v.string(), to: v.string(), message: Message }),
  v.object({ what: v.literal('kept'), queue: v.string(), message: Message }),
  v.object({
    what: v.literal('seen'),
    queue: v.string(),
    seen: v.object({ key: v.string(), id: v.string(), sequence: v.number(), at: v.number() }),
  }),
]);
type JournalRecord = v.InferOutput<typeof JournalRecord>;

export type NewMessage = {
  readonly body: string;
  readonly group: string;
  readonly dedup: string;
  readonly attributes?: Readonly<Record<string, MessageAttribute>>;
  readonly trace?: string | undefined;
};

/** A received message; with `receipt` it can be deleted or its visibility changed. */
export type ReceivedMessage = { readonly message: QueueMessage; readonly receipt: string };

/** A change of a message, for those who watch the queues. `to` is the queue of dead letters. */
export type QueueChange =
  | {
      readonly kind: 'enqueued' | 'received' | 'deleted';
      readonly queue: string;
      readonly message: QueueMessage;
    }
  | { readonly kind: 'moved'; readonly queue: string; readonly message: QueueMessage; readonly to: string };

export type ReceiptProblem = 'unknown-receipt' | 'not-in-flight' | 'hidden-too-long';

/** All queues over one journal, so that a move to the dead letters is one record. */
export class Queues {
  readonly #queues = new Map<string, FifoQueue>();
  readonly #journal: Journal;
  readonly #now: () => number;
  readonly #token: () => string;
  readonly #observe: (change: QueueChange) => void;
  readonly #listeners = new Map<string, Set<() => void>>();
  #sequence = 0;
  #compactAt = 0;
  #compactedAtMs = 0;

  /** `records` are the journal's content; `token` creates ids and receipts. Messages that were in flight are visible again. */
  constructor(
    rules: readonly QueueRules[],
    journal: Journal,
    records: readonly unknown[],
    now: () => number,
    token: () => string,
    observe: (change: QueueChange) => void = () => {},
  ) {
    this.#journal = journal;
    this.#now = now;
    this.#token = token;
    this.#observe = observe;
    for (const rule of rules) this.#queues.set(rule.name, new FifoQueue(rule));
    for (const record of records) this.#replay(v.parse(JournalRecord, record));
    this.compact();
  }

  names(): string[] {
    return [...this.#queues.keys()];
  }

  rules(name: string): QueueRules | undefined {
    return this.#queues.get(name)?.rules;
  }

  /** Returns when the message is on disk. A duplicate within five minutes returns the first message's id. */
  send(name: string, input: NewMessage): { id: string; sequence: number } {
    const queue = this.#queue(name);
    const now = this.#now();
    const earlier = queue.findDuplicate(input.group, input.dedup, now);
    if (earlier !== undefined) return { id: earlier.id, sequence: earlier.sequence };
    const { body, group, dedup, attributes = {}, trace } = input;
    const sequence = this.#sequence + 1;
    const more = { trace, sentAt: now, sequence, receives: 0 };
    const message = { id: this.#token(), body, group, dedup, attributes, ...more };
    this.#journal.append({ what: 'sent', queue: name, message } satisfies JournalRecord);
    this.#sequence = sequence;
    queue.add(message);
    this.#observe({ kind: 'enqueued', queue: name, message });
    this.#notify(name);
    return { id: message.id, sequence };
  }

  /**
   * Receives up to `max` messages for `visibilityMs`, not of groups in `except`. Moves messages over the receive limit to the
   * dead letters first.
   */
  receive(name: string, max: number, visibilityMs?: number, except?: ReadonlySet<string>): ReceivedMessage[] {
    const queue = this.#queue(name);
    const now = this.#now();
    const picked = queue.selectMessages(max, now, except);
    for (const message of picked.expired) this.#delete(queue, message);
    for (const message of picked.dead) this.#moveToDeadLetters(queue, message, now);
    const received: ReceivedMessage[] = [];
    for (const { id, group } of picked.ready) {
      this.#journal.append({ what: 'taken', queue: name, id, group, at: now } satisfies JournalRecord);
      const receipt = this.#token();
      const message = queue.receive(
        id,
        group,
        receipt,
        now + (visibilityMs ?? queue.rules.visibilityMs),
        now,
      );
      if (message === undefined) continue;
      this.#observe({ kind: 'received', queue: name, message });
      received.push({ message, receipt });
    }
    if (this.#journal.lines() > this.#compactAt) this.#compactUnlessFull();
    return received;
  }

  /** Deletes the message of a receipt. A receipt of a FIFO queue is invalid after its visibility timeout. */
  delete(name: string, receipt: string): ReceiptProblem | undefined {
    const queue = this.#queue(name);
    const entry = queue.findByReceipt(receipt, this.#now());
    if (entry === undefined) return 'unknown-receipt';
    if (!entry.inFlight) return 'not-in-flight';
    this.#delete(queue, entry.message);
    this.#notify(name);
    return undefined;
  }

  changeVisibility(name: string, receipt: string, visibilityMs: number): ReceiptProblem | undefined {
    const queue = this.#queue(name);
    const now = this.#now();
    const entry = queue.findByReceipt(receipt, now);
    if (entry === undefined) return 'unknown-receipt';
    if (!entry.inFlight) return 'not-in-flight';
    if (now + visibilityMs - entry.heldSince > MAX_VISIBILITY_MS) return 'hidden-too-long';
    queue.hide(receipt, now + visibilityMs);
    this.#notify(name);
    return undefined;
  }

  counts(name: string): { visible: number; inFlight: number } {
    return this.#queue(name).counts(this.#now());
  }

  /** Returns the messages that are not deleted yet, hidden ones included. */
  messages(name: string): readonly QueueMessage[] {
    return this.#queue(name).snapshot(this.#now()).messages;
  }

  nextVisible(name: string): number | undefined {
    return this.#queue(name).nextVisible(this.#now());
  }

  /** Calls `listener` whenever the queue may have new messages. Returns an unsubscribe function. */
  onChange(name: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /** Compacts the journal. */
  compact(): void {
    const now = this.#now();
    const records: JournalRecord[] = [];
    for (const [name, queue] of this.#queues) {
      const { messages, seen } = queue.snapshot(now);
      for (const entry of seen) records.push({ what: 'seen', queue: name, seen: entry });
      for (const message of messages) records.push({ what: 'kept', queue: name, message });
    }
    this.#journal.rewrite(records);
    this.#compactedAtMs = now;
    this.#compactAt = COMPACT_AFTER_LINES + 2 * records.length;
  }

  /** Compacts and closes the journal, so that processed messages leave the file. */
  close(): void {
    this.#compactUnlessFull();
    this.#journal.close();
  }

  /** Keeps the journal unchanged when the disk is full. */
  #compactUnlessFull(): void {
    try {
      this.compact();
    } catch {
      // The journal still has all records. Not again at once: each attempt writes all messages.
      this.#compactAt = this.#journal.lines() + COMPACT_AFTER_LINES;
    }
  }

  #queue(name: string): FifoQueue {
    const queue = this.#queues.get(name);
    if (queue === undefined) throw new Error(`There is no queue ${name}`);
    return queue;
  }

  #delete(queue: FifoQueue, message: QueueMessage): void {
    const { id, group } = message;
    this.#journal.append({ what: 'gone', queue: queue.rules.name, id, group } satisfies JournalRecord);
    queue.remove(id, group);
    this.#observe({ kind: 'deleted', queue: queue.rules.name, message });
    const isIdle = [...this.#queues.values()].every((one) => one.isEmpty());
    if (isIdle && this.#now() >= this.#compactedAtMs + COMPACT_IDLE_INTERVAL_MS) this.#compactUnlessFull();
  }

  #moveToDeadLetters(queue: FifoQueue, message: QueueMessage, now: number): void {
    const to = queue.rules.deadLetters?.queue;
    if (to === undefined) return;
    const sequence = this.#sequence + 1;
    const moved = { ...message, sequence, sentAt: now, receives: 0, firstReceivedAt: undefined };
    const record = {
      what: 'dead',
      queue: queue.rules.name,
      id: message.id,
      to,
      message: moved,
    } satisfies JournalRecord;
    this.#journal.append(record);
    this.#sequence = sequence;
    queue.remove(message.id, message.group);
    this.#queue(to).put(moved);
    this.#observe({ kind: 'moved', queue: queue.rules.name, message, to });
    this.#notify(to);
  }

  #notify(name: string): void {
    for (const listener of this.#listeners.get(name) ?? []) listener();
  }

  /** Messages of queues that the template no longer has are dropped. */
  #replay(record: JournalRecord): void {
    const queue = this.#queues.get(record.queue);
    if (record.what === 'seen') this.#sequence = Math.max(this.#sequence, record.seen.sequence);
    if ('message' in record) this.#sequence = Math.max(this.#sequence, record.message.sequence);
    if (record.what === 'dead') {
      queue?.remove(record.id, record.message.group);
      this.#queues.get(record.to)?.put(record.message);
    } else if (record.what === 'sent') queue?.add(record.message);
    else if (record.what === 'kept') queue?.put(record.message);
    else if (record.what === 'taken') queue?.countReceive(record.id, record.group, record.at);
    else if (record.what === 'gone') queue?.remove(record.id, record.group);
    else queue?.remember(record.seen);
  }
}
