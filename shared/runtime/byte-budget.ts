/** Reserved bytes of the budget. */
export type ByteReservation = {
  /** Releases all but `bytes`. */
  readonly shrink: (bytes: number) => void;
  /** Releases all bytes. May be called again. */
  readonly release: () => void;
};

type Waiter = { readonly bytes: number; readonly grant: () => void };

/**
 * Limits the memory that all tasks of a process use for large data, in bytes. Requests are served in order: a
 * later one never overtakes, so nobody starves. At most `total` is reserved at a time. Whoever holds a
 * reservation must not request another one: two such tasks could wait for each other forever.
 */
export class ByteBudget {
  readonly total: number;
  #held = 0;
  readonly #line = new Set<Waiter>();

  constructor(total: number) {
    this.total = total;
  }

  /** The bytes that are reserved now. */
  get held(): number {
    return this.#held;
  }

  /**
   * Resolves with the reservation when there is space. A request above `total` gets `total`. Calls `waiting` if
   * there is no space immediately. Rejects with the reason of the signal, and then reserves nothing.
   */
  reserve(
    bytes: number,
    signal: AbortSignal,
    waiting: () => void = () => undefined,
  ): Promise<ByteReservation> {
    const size = Math.min(Math.max(0, bytes), this.total);
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const waiter: Waiter = {
        bytes: size,
        grant: () => {
          signal.removeEventListener('abort', cancel);
          resolve(this.#share(size));
        },
      };
      const cancel = (): void => {
        this.#line.delete(waiter);
        reject(signal.reason);
        // The next waiter may fit.
        this.#serve();
      };
      signal.addEventListener('abort', cancel, { once: true });
      this.#line.add(waiter);
      this.#serve();
      if (this.#line.has(waiter)) waiting();
    });
  }

  /** Returns a reservation if there is space now; undefined if not, or if others are waiting. */
  tryReserve(bytes: number): ByteReservation | undefined {
    const size = Math.max(0, bytes);
    if (this.#line.size > 0 || this.#held + size > this.total) return undefined;
    this.#held += size;
    return this.#share(size);
  }

  #serve(): void {
    for (const waiter of this.#line) {
      if (this.#held + waiter.bytes > this.total) return;
      this.#held += waiter.bytes;
      this.#line.delete(waiter);
      waiter.grant();
    }
  }

  #share(taken: number): ByteReservation {
    let held = taken;
    const shrink = (bytes: number): void => {
      const remaining = Math.min(held, Math.max(0, bytes));
      this.#held -= held - remaining;
      held = remaining;
      this.#serve();
    };
    return { shrink, release: () => shrink(0) };
  }
}
