import type { Time } from './time.ts';

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
  #reservedBytes = 0;
  readonly #line = new Set<Waiter>();

  constructor(total: number) {
    this.total = total;
  }

  /** The bytes that are reserved now. */
  get reservedBytes(): number {
    return this.#reservedBytes;
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
    if (this.#line.size > 0 || this.#reservedBytes + size > this.total) return undefined;
    this.#reservedBytes += size;
    return this.#share(size);
  }

  #serve(): void {
    for (const waiter of this.#line) {
      if (this.#reservedBytes + waiter.bytes > this.total) return;
      this.#reservedBytes += waiter.bytes;
      this.#line.delete(waiter);
      waiter.grant();
    }
  }

  #share(reservedBytes: number): ByteReservation {
    let bytesHeld = reservedBytes;
    const shrink = (bytes: number): void => {
      const remaining = Math.min(bytesHeld, Math.max(0, bytes));
      this.#reservedBytes -= bytesHeld - remaining;
      bytesHeld = remaining;
      this.#serve();
    };
    return { shrink, release: () => shrink(0) };
  }
}

/**
 * This process does not have enough free memory for the task now. A later delivery may have it, perhaps in
 * another process.
 */
export class MemoryLimitError extends Error {
  override readonly name = 'MemoryLimitError';
}

/** The task needs more memory than this process can give now; a process without other tasks must run it. */
export class LargeWorkerNeededError extends Error {
  override readonly name = 'LargeWorkerNeededError';
}

type MemoryPermitOptions = {
  readonly budget: ByteBudget;
  /** Whether a task without enough memory is moved instead of waiting. */
  readonly movesLarge: boolean;
  readonly time: Time;
  /** Called when a wait takes longer than a second, and at its end. */
  readonly onWait?: ((state: 'waiting' | 'over') => void) | undefined;
  /** Ends the wait; it rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** The deadline of the wait (ms since 1970). */
  readonly deadlineMs: number;
};

/** A shorter wait is not shown. */
const QUIET_MS = 1_000;

const NOTHING: ByteReservation = { shrink: () => undefined, release: () => undefined };

/** The memory reservations of one task. A task must not reserve more while it holds some: that could deadlock. */
export class MemoryPermit {
  readonly #context: MemoryPermitOptions;
  readonly #reservations = new Set<ByteReservation>();

  constructor(context: MemoryPermitOptions) {
    this.#context = context;
  }

  /**
   * Reserves bytes, and waits if necessary. Rejects with MemoryLimitError at the deadline, with LargeWorkerNeededError if tasks are
   * moved instead, and with the reason of the signal. Unreleased reservations are held until `end`.
   */
  async reserve(bytes: number): Promise<ByteReservation> {
    const { budget, onWait, signal } = this.#context;
    if (bytes <= 0) return NOTHING;
    if (this.#context.movesLarge)
      return this.#hold(budget.tryReserve(bytes) ?? raise(new LargeWorkerNeededError()));
    const timeout = new AbortController();
    const waitEnded = new AbortController();
    let isShown = false;
    const showWait = (): void => {
      isShown = true;
      onWait?.('waiting');
    };
    try {
      const abortSignal = AbortSignal.any([signal, timeout.signal]);
      const reservation = await budget.reserve(
        bytes,
        abortSignal,
        () => void this.#wait(showWait, timeout, waitEnded.signal),
      );
      if (isShown) onWait?.('over');
      return this.#hold(reservation);
    } finally {
      waitEnded.abort(new Error('the wait is over'));
    }
  }

  #hold(reservation: ByteReservation): ByteReservation {
    this.#reservations.add(reservation);
    return reservation;
  }

  async #wait(showWait: () => void, timeout: AbortController, waitEnded: AbortSignal): Promise<void> {
    const { time, deadlineMs } = this.#context;
    try {
      await time.sleep(QUIET_MS, waitEnded);
      showWait();
      await time.sleep(Math.max(0, deadlineMs - time.now()), waitEnded);
      timeout.abort(new MemoryLimitError());
    } catch {
      // The wait has ended.
    }
  }

  /** Releases all reservations. */
  end(): void {
    for (const reservation of this.#reservations) reservation.release();
    this.#reservations.clear();
  }
}

function raise(error: Error): never {
  throw error;
}
