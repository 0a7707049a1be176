import type { ByteBudget, ByteReservation, Time } from '../../runtime/index.ts';
import { type StatusIndicator, STATUS_TEXTS } from '../display/progress-display.ts';

/**
 * This process does not have enough free memory for the task now. A later delivery may have it, perhaps in
 * another process.
 */
export class MemoryLimitError extends Error {
  override readonly name = 'MemoryLimitError';
}

/** The task needs more memory than this process can give now; a process without other tasks must run it. */
export class TooLargeError extends Error {
  override readonly name = 'TooLargeError';
}

export type MemoryPermitOptions = {
  readonly budget: ByteBudget;
  /** Whether a task without enough memory is moved instead of waiting. */
  readonly movesLarge: boolean;
  readonly time: Time;
  /** Shows the wait to the asker. */
  readonly thinking?: Pick<StatusIndicator, 'show'> | undefined;
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
  readonly #held = new Set<ByteReservation>();

  constructor(context: MemoryPermitOptions) {
    this.#context = context;
  }

  /**
   * Reserves bytes, and waits if necessary. Rejects with MemoryLimitError at the deadline, with TooLargeError if tasks are
   * moved instead, and with the reason of the signal. Unreleased reservations are held until `end`.
   */
  async reserve(bytes: number): Promise<ByteReservation> {
    const { budget, thinking, signal } = this.#context;
    if (bytes <= 0) return NOTHING;
    if (this.#context.movesLarge) return this.#hold(budget.tryReserve(bytes) ?? raise(new TooLargeError()));
    const timeout = new AbortController();
    const waitEnded = new AbortController();
    let isShown = false;
    const showWait = (): void => {
      isShown = true;
      thinking?.show(['answers.status.room']);
    };
    try {
      const abortSignal = AbortSignal.any([signal, timeout.signal]);
      const reservation = await budget.reserve(
        bytes,
        abortSignal,
        () => void this.#wait(showWait, timeout, waitEnded.signal),
      );
      if (isShown) thinking?.show(STATUS_TEXTS);
      return this.#hold(reservation);
    } finally {
      waitEnded.abort(new Error('the wait is over'));
    }
  }

  #hold(reservation: ByteReservation): ByteReservation {
    this.#held.add(reservation);
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
    for (const reservation of this.#held) reservation.release();
    this.#held.clear();
  }
}

function raise(error: Error): never {
  throw error;
}
