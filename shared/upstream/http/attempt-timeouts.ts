import type { Clock } from '../config.ts';
import { TimedOutError } from '../errors.ts';

/** The timeouts of an attempt; each is the `code` of its error. */
export type TimeoutName = 'first_byte' | 'first_token' | 'idle' | 'total' | 'deadline';

const MESSAGES: Readonly<Record<TimeoutName, string>> = {
  first_byte: 'The upstream did not begin to answer in time.',
  first_token: 'The upstream sent no part of its answer in time.',
  idle: 'The upstream stopped sending in the middle of its answer.',
  total: 'The upstream did not finish its answer in time.',
  deadline: 'The time for this call is over.',
};

/** Why a sleep ends early. One shared object: an abort without a reason creates a DOMException, which is slow. */
const SLEEP_CANCELLED = new Error('not needed any more');

/**
 * The timeouts of one attempt: aborts its signal when the caller aborts or a timeout expires. Uses the injected clock
 * instead of undici's timers, which are coarse (about 500 ms) and count keep-alive comments as progress. At most one sleep
 * is pending; postponing a timeout, which every event of a stream does, only writes a number.
 */
export class AttemptTimeouts {
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #expiries = new Map<TimeoutName, number>();
  readonly #caller: AbortSignal | undefined;
  readonly #onAbort: () => void;
  #sleeper: AbortController | undefined;
  #wakeAt = Infinity;
  #hasEnded = false;

  constructor(
    clock: Clock,
    options: { readonly signal?: AbortSignal | undefined; readonly deadline?: number | undefined },
  ) {
    this.#clock = clock;
    this.signal = this.#controller.signal;
    this.#caller = options.signal;
    this.#onAbort = () => this.#abort(this.#caller?.reason);
    if (options.signal?.aborted === true) this.#onAbort();
    else options.signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (options.deadline !== undefined) this.#set('deadline', options.deadline);
  }

  /** Starts or restarts a timeout; it expires after `ms`. */
  start(name: TimeoutName, ms: number): void {
    this.#set(name, this.#clock.now() + ms);
  }

  /** Cancels a timeout. */
  cancel(name: TimeoutName): void {
    this.#expiries.delete(name);
  }

  /** Ends all timeouts and removes the timer and the listener. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#caller?.removeEventListener('abort', this.#onAbort);
    this.#sleeper?.abort(SLEEP_CANCELLED);
  }

  /** Returns the promise's result, or rejects with the signal's reason as soon as the signal is aborted. */
  async race<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this;
    const aborted = Promise.withResolvers<never>();
    const onAbort = (): void => aborted.reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      return await Promise.race([promise, aborted.promise]);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  #set(name: TimeoutName, at: number): void {
    if (this.#hasEnded) return;
    this.#expiries.set(name, at);
    if (at >= this.#wakeAt) return;
    this.#sleeper?.abort(SLEEP_CANCELLED);
    this.#sleep(at);
  }

  #sleep(until: number): void {
    this.#wakeAt = until;
    const sleeper = new AbortController();
    this.#sleeper = sleeper;
    this.#clock.sleep(Math.max(0, until - this.#clock.now()), sleeper.signal).then(
      () => this.#onWake(sleeper),
      () => undefined,
    );
  }

  #onWake(sleeper: AbortController): void {
    if (this.#hasEnded || sleeper !== this.#sleeper) return;
    const earliest = [...this.#expiries].toSorted(([, a], [, b]) => a - b)[0];
    this.#wakeAt = Infinity;
    if (earliest === undefined) return;
    const [name, at] = earliest;
    if (at <= this.#clock.now()) this.#abort(new TimedOutError(MESSAGES[name], { code: name }));
    else this.#sleep(at);
  }

  #abort(reason: unknown): void {
    this.end();
    this.#controller.abort(reason);
  }
}
