import type { Time } from '../config.ts';
import { TimedOutError } from '../errors.ts';

/** The limits that can run out; each becomes the `code` of the error. */
export type LimitName = 'first_byte' | 'first_token' | 'idle' | 'total' | 'deadline';

const SAID: Readonly<Record<LimitName, string>> = {
  first_byte: 'The upstream did not begin to answer in time.',
  first_token: 'The upstream sent no word of its answer in time.',
  idle: 'The upstream fell silent in the middle of its answer.',
  total: 'The upstream did not finish its answer in time.',
  deadline: 'The time for this call is over.',
};

/** Why a sleep ends early. One for all: an abort without a reason makes a DOMException, a tenth of a call's time. */
const NOT_NEEDED = new Error('not needed any more');

/**
 * Watches over one attempt: aborts its signal when the caller does, or when a limit runs out. It runs on the injected
 * time and not on undici's timers, which are coarse (about 500 ms) and count keep-alive comments as progress. One sleep
 * is pending at a time; pushing a limit back, which every event of a stream does, only writes a number.
 */
export class Watch {
  readonly signal: AbortSignal;
  readonly #abort = new AbortController();
  readonly #time: Time;
  readonly #due = new Map<LimitName, number>();
  readonly #caller: AbortSignal | undefined;
  readonly #onAbort: () => void;
  #sleeper: AbortController | undefined;
  #wakeAt = Infinity;
  #ended = false;

  constructor(
    time: Time,
    options: { readonly signal?: AbortSignal | undefined; readonly deadline?: number | undefined },
  ) {
    this.#time = time;
    this.signal = this.#abort.signal;
    this.#caller = options.signal;
    this.#onAbort = () => this.#stop(this.#caller?.reason);
    if (options.signal?.aborted === true) this.#onAbort();
    else options.signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (options.deadline !== undefined) this.#set('deadline', options.deadline);
  }

  /** The limit begins anew now; it runs out in `ms`. */
  limit(name: LimitName, ms: number): void {
    this.#set(name, this.#time.now() + ms);
  }

  /** The limit has been met. */
  lift(name: LimitName): void {
    this.#due.delete(name);
  }

  /** Nothing is watched any more; no timer and no listener stays behind. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#caller?.removeEventListener('abort', this.#onAbort);
    this.#sleeper?.abort(NOT_NEEDED);
  }

  /** What the promise gives, or a rejection with the signal's reason as soon as that is aborted. */
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

  #set(name: LimitName, at: number): void {
    if (this.#ended) return;
    this.#due.set(name, at);
    if (at >= this.#wakeAt) return;
    this.#sleeper?.abort(NOT_NEEDED);
    this.#sleep(at);
  }

  #sleep(until: number): void {
    this.#wakeAt = until;
    const sleeper = new AbortController();
    this.#sleeper = sleeper;
    this.#time.sleep(Math.max(0, until - this.#time.now()), sleeper.signal).then(
      () => this.#woken(sleeper),
      () => undefined,
    );
  }

  #woken(sleeper: AbortController): void {
    if (this.#ended || sleeper !== this.#sleeper) return;
    const first = [...this.#due].toSorted(([, a], [, b]) => a - b)[0];
    this.#wakeAt = Infinity;
    if (first === undefined) return;
    const [name, at] = first;
    if (at <= this.#time.now()) this.#stop(new TimedOutError(SAID[name], { code: name }));
    else this.#sleep(at);
  }

  #stop(reason: unknown): void {
    this.end();
    this.#abort.abort(reason);
  }
}
