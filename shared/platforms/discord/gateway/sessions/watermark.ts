type Entry = { sequence: number; readonly message: string; done: boolean };

/**
 * How far the events of one session have been handed over without a gap. Only that far they count as seen: what lies beyond is
 * sent again after a restart.
 */
export class Watermark {
  /** Every event up to this sequence number has been handed over. */
  handled: number;
  /** The newest message among those; ids order by time. `0` before the first. */
  seen: string;
  readonly #open: Entry[] = [];
  #begun: number;

  constructor(handled: number, seen: string) {
    this.handled = handled;
    this.#begun = handled;
    this.seen = seen;
  }

  /** False if this event was begun before: it is a replay. */
  begins(sequence: number): boolean {
    return sequence > this.#begun;
  }

  /** Notes an event, in the order in which they come. Returns what to call once it has been handed over. */
  begin(sequence: number, message = '0'): () => void {
    const entry: Entry = { sequence, message, done: false };
    this.#begun = sequence;
    this.#open.push(entry);
    return () => {
      entry.done = true;
      this.#advance();
    };
  }

  /** Notes an event that asks for nothing. */
  pass(sequence: number): void {
    this.#begun = sequence;
    const last = this.#open.at(-1);
    // Counted with the one before it, so that chatter does not pile up behind work that takes long.
    if (last) last.sequence = sequence;
    else this.handled = sequence;
  }

  #advance(): void {
    while (this.#open[0]?.done) {
      const { sequence, message } = this.#open.shift() ?? { sequence: this.handled, message: '0' };
      this.handled = sequence;
      if (isNewer(message, this.seen)) this.seen = message;
    }
  }
}

/** Whether one id was made after another. Ids are whole numbers that may have different lengths. */
export function isNewer(id: string, than: string): boolean {
  return id.length === than.length ? id > than : id.length > than.length;
}
