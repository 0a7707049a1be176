import type { ByteBudget, ByteReservation } from '../../runtime/byte-budget.ts';
import type { Time } from '../../runtime/time.ts';
import type { StatusIndicator } from '../display/status-indicator.ts';
import { STATUS_TEXTS } from '../display/status-indicator.ts';

/** There was no room in memory for what a task needs; another delivery, perhaps in another process, may find some. */
export class MemoryLimitError extends Error {
  override readonly name = 'NoRoomError';
}

/** A task needs more memory than its process has to give now: one that has no other task is to do it. */
export class TooLargeError extends Error {
  override readonly name = 'TooLargeError';
}

export type MemoryPermitOptions = {
  readonly budget: ByteBudget;
  /** Whether a task that finds no room is moved, instead of waiting for it. */
  readonly movesLarge: boolean;
  readonly time: Time;
  /** Whoever waits is told so. */
  readonly thinking?: Pick<StatusIndicator, 'show'> | undefined;
  /** Ends the wait; it rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** Nothing is waited for after this (ms since 1970). */
  readonly untilMs: number;
};

/** A shorter wait is not worth a word. */
const QUIET_MS = 1_000;

const NOTHING: ByteReservation = { shrink: () => undefined, release: () => undefined };

/** The memory that one task takes of what all of the process may take. Whoever holds some of it must not ask for more. */
export class MemoryPermit {
  readonly #context: MemoryPermitOptions;
  readonly #held = new Set<ByteReservation>();

  constructor(context: MemoryPermitOptions) {
    this.#context = context;
  }

  /**
   * Takes so many bytes, and waits for them if it must. Rejects with MemoryLimitError when that takes too long, with TooLargeError where nobody
   * waits, and with the signal's reason. What is not given back is held until `end`.
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
      // There is room, or nobody waits any more.
    }
  }

  /** Gives back all that is still held. */
  end(): void {
    for (const share of this.#held) share.release();
    this.#held.clear();
  }
}

function raise(error: Error): never {
  throw error;
}
