import type { ByteBudget, ByteReservation } from '../../runtime/byte-budget.ts';
import type { Time } from '../../runtime/time.ts';
import type { StatusIndicator } from '../display/status-indicator.ts';
import { STATUS_TEXTS } from '../display/status-indicator.ts';

/** Not enough free memory for the task; a later delivery, perhaps in another process, may have some. */
export class MemoryLimitError extends Error {
  override readonly name = 'NoRoomError';
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
  readonly untilMs: number;
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
  async take(bytes: number): Promise<ByteReservation> {
    const { budget, thinking, signal } = this.#context;
    if (bytes <= 0) return NOTHING;
    if (this.#context.movesLarge) return this.#hold(budget.tryReserve(bytes) ?? raise(new TooLargeError()));
    const late = new AbortController();
    const over = new AbortController();
    let told = false;
    const tell = (): void => {
      told = true;
      thinking?.show(['answers.status.room']);
    };
    try {
      const either = AbortSignal.any([signal, late.signal]);
      const share = await budget.reserve(bytes, either, () => void this.#wait(tell, late, over.signal));
      if (told) thinking?.show(STATUS_TEXTS);
      return this.#hold(share);
    } finally {
      over.abort(new Error('the wait is over'));
    }
  }

  #hold(share: ByteReservation): ByteReservation {
    this.#held.add(share);
    return share;
  }

  async #wait(tell: () => void, late: AbortController, over: AbortSignal): Promise<void> {
    const { time, untilMs } = this.#context;
    try {
      await time.sleep(QUIET_MS, over);
      tell();
      await time.sleep(Math.max(0, untilMs - time.now()), over);
      late.abort(new MemoryLimitError());
    } catch {
      // The wait has ended.
    }
  }

  /** Releases all reservations. */
  end(): void {
    for (const share of this.#held) share.release();
    this.#held.clear();
  }
}

function raise(error: Error): never {
  throw error;
}
