/** A part of the budget that somebody holds. */
export type Share = {
  /** Gives back all but `bytes`. */
  readonly shrink: (bytes: number) => void;
  /** Gives all of it back. May be called again. */
  readonly release: () => void;
};

type Waiting = { readonly bytes: number; readonly grant: () => void };

/**
 * The memory that all work of a process may take for large things together, in bytes. Who asks is served in order: what is asked for
 * later does not pass by, so that nobody waits for ever. Never more than `total` is held at once. Whoever holds a share must not ask for another:
 * two who did could wait for each other.
 */
export class ByteBudget {
  readonly total: number;
  #held = 0;
  readonly #line = new Set<Waiting>();

  constructor(total: number) {
    this.total = total;
  }

  /** The bytes that are held now. */
  get held(): number {
    return this.#held;
  }

  /**
   * Resolves with the share once there is room for it. What is more than all there is gets all of it. `waiting` is told if there is no room at
   * once. Rejects with the reason of the signal, and then holds nothing.
   */
  take(bytes: number, signal: AbortSignal, waiting: () => void = () => undefined): Promise<Share> {
    const wanted = Math.min(Math.max(0, bytes), this.total);
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const one: Waiting = {
        bytes: wanted,
        grant: () => {
          signal.removeEventListener('abort', leave);
          resolve(this.#share(wanted));
        },
      };
      const leave = (): void => {
        this.#line.delete(one);
        reject(signal.reason);
        // Whoever stood behind may fit.
        this.#serve();
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#line.add(one);
      this.#serve();
      if (this.#line.has(one)) waiting();
    });
  }

  /** The share if there is room for it now; undefined if there is none, or others wait for some. */
  takeNow(bytes: number): Share | undefined {
    const wanted = Math.max(0, bytes);
    if (this.#line.size > 0 || this.#held + wanted > this.total) return undefined;
    this.#held += wanted;
    return this.#share(wanted);
  }

  #serve(): void {
    for (const one of this.#line) {
      if (this.#held + one.bytes > this.total) return;
      this.#held += one.bytes;
      this.#line.delete(one);
      one.grant();
    }
  }

  #share(taken: number): Share {
    let held = taken;
    const shrink = (bytes: number): void => {
      const kept = Math.min(held, Math.max(0, bytes));
      this.#held -= held - kept;
      held = kept;
      this.#serve();
    };
    return { shrink, release: () => shrink(0) };
  }
}
