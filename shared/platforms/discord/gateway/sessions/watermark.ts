type Entry = { sequence: number; readonly message: string; done: boolean };

/**
 * Up to which event a session is handled without a gap. Only those events count as received: after a
 * restart, Discord sends the later ones again.
 */
export class Watermark {
  /** Every event up to this sequence number is handled. */
  handled: number;
  /** The newest message among those. Ids sort by time. `0` before the first. */
  seen: string;
  readonly #inProgress: Entry[] = [];
  #lastTracked: number;

  constructor(handled: number, seen: string) {
    this.handled = handled;
    this.#lastTracked = handled;
    this.seen = seen;
  }

  /** False if this event was tracked before: it is a replay. */
  isNew(sequence: number): boolean {
    return sequence > this.#lastTracked;
  }

  /** Tracks an event; call it in the order of arrival. Returns the function to call once the event is handled. */
  track(sequence: number, message = '0'): () => void {
    const entry: Entry = { sequence, message, done: false };
    this.#lastTracked = sequence;
    this.#inProgress.push(entry);
    return () => {
      entry.done = true;
      this.#advance();
    };
  }

  /** Skips an event that needs no work. */
  skip(sequence: number): void {
    this.#lastTracked = sequence;
    const last = this.#inProgress.at(-1);
    // It counts with the event before it, so that skipped events need no entry while a long task runs.
    if (last) last.sequence = sequence;
    else this.handled = sequence;
  }

  #advance(): void {
    while (this.#inProgress[0]?.done) {
      const { sequence, message } = this.#inProgress.shift() ?? { sequence: this.handled, message: '0' };
      this.handled = sequence;
      if (isNewer(message, this.seen)) this.seen = message;
    }
  }
}

/** Whether an id is newer than another. Ids are whole numbers and may have different lengths. */
export function isNewer(id: string, than: string): boolean {
  return id.length === than.length ? id > than : id.length > than.length;
}
