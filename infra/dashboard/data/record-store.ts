import type { LogRecord } from './log-record.ts';

/** Events that are frequent and say nothing to an operator. */
const IGNORED_EVENTS: ReadonlySet<string> = new Set(['relay.heartbeat']);

/** The last records in memory, at most `capacity`. */
export class RecordStore {
  readonly #capacity: number;
  #records: LogRecord[] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  add(record: LogRecord): void {
    if (IGNORED_EVENTS.has(record.event)) return;
    this.#records.push(record);
    // Cut in blocks: a cut per record would move the whole list each time.
    if (this.#records.length > this.#capacity * 1.1) this.#records = this.#records.slice(-this.#capacity);
  }

  /** Returns the records, roughly in the order of their time. */
  list(): readonly LogRecord[] {
    return this.#records.slice(-this.#capacity);
  }
}
