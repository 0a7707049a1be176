import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { FunctionLoadError, FunctionThread, type InvocationOutcome } from './thread.ts';
import type { FunctionSpec } from '../template/resource-types.ts';

/** Lambda's error type for an invocation that timed out. */
export const TIMEOUT_ERROR_TYPE = 'Sandbox.Timedout';

/** Lambda's error type for an invocation beyond the reserved concurrency. */
export const THROTTLE_ERROR_TYPE = 'TooManyRequestsException';
const THROTTLED: InvocationOutcome = {
  kind: 'failed',
  errorType: THROTTLE_ERROR_TYPE,
  message: 'Rate Exceeded.',
};

/** Lambda's error type for an invocation of a function that cannot be loaded. */
export const LOAD_ERROR_TYPE = 'Runtime.ImportModuleError';

/** The first pause before a function that could not be loaded is started again; each further one is twice as long. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
/** The number of failures after which `warm` gives up: after 15 s of pauses. */
const MAX_WARM_FAILURES = 5;

export type LocalFunctionOptions = {
  /** Reports for people that the function could not be loaded, and that it runs again. */
  readonly report?: (event: FunctionLoadReport) => void;
  /** A monotonic clock (ms). */
  readonly now?: () => number;
  readonly wait?: (ms: number) => Promise<unknown>;
};

/** `failed`: the function could not be loaded because of `reason`, and is not started for `pauseMs`. */
export type FunctionLoadReport =
  | { readonly kind: 'failed'; readonly reason: string; readonly pauseMs: number }
  | { readonly kind: 'loaded' };

/**
 * Runs one function: starts its thread when needed, and replaces it after a crash or a timeout. After it could not be loaded it is not started for a
 * pause, in which each event fails at once.
 */
export class LocalFunction {
  readonly spec: FunctionSpec;
  readonly #log: (output: Readable) => void;
  readonly #options: Required<LocalFunctionOptions>;
  /** How often it could not be loaded since it was loaded last. */
  #failures = 0;
  #lastFailure: FunctionLoadError | undefined;
  #isClosed = false;
  #isWarming = false;
  #pausedUntil = -Infinity;
  #thread: FunctionThread | undefined;
  readonly #threads = new Set<FunctionThread>();
  readonly #running = new Set<Promise<InvocationOutcome>>();

  constructor(spec: FunctionSpec, log: (output: Readable) => void, options: LocalFunctionOptions = {}) {
    this.spec = spec;
    this.#log = log;
    this.#options = { report: () => {}, now: () => performance.now(), wait: sleep, ...options };
  }

  /**
   * Loads the bundle before the first event. A thread that is ended while it loads is started again after the pauses. Rejects with FunctionLoadError if the
   * bundle throws while it loads, because it would do so each time, or after five failures.
   */
  async warm(): Promise<void> {
    this.#isWarming = true;
    try {
      while (!this.#isClosed) {
        const loaded = await this.#started();
        if (loaded instanceof FunctionThread) return;
        if (this.#isGivenUp(loaded)) throw loaded;
        await this.#options.wait(this.pauseMs);
      }
    } finally {
      this.#isWarming = false;
    }
  }

  /** Whether `warm` rejects with this failure. */
  #isGivenUp({ isThrown }: FunctionLoadError): boolean {
    return this.#isWarming && (isThrown || this.#failures >= MAX_WARM_FAILURES);
  }

  /** For how long it is not started, because it could not be loaded (ms). */
  get pauseMs(): number {
    return Math.max(0, this.#pausedUntil - this.#options.now());
  }

  /** Ends its thread if it is idle: the next event loads the bundle again, as after a pause on Lambda. */
  async unload(): Promise<void> {
    const thread = this.#thread;
    if (thread === undefined || this.inFlight > 0) return;
    this.#thread = undefined;
    await thread.terminate();
  }

  /**
   * Runs the handler with `event` as JSON. Resolves with its JSON result, or with the error as Lambda reports it. `onPart` gets the parts of a streamed
   * response.
   */
  invoke(event: unknown, onPart?: (bytes: Uint8Array) => void): Promise<InvocationOutcome> {
    const { reservedConcurrency = Infinity } = this.spec;
    if (this.inFlight >= reservedConcurrency) return Promise.resolve(THROTTLED);
    const running = this.#invoke(JSON.stringify(event), onPart);
    this.#running.add(running);
    void running.finally(() => this.#running.delete(running));
    return running;
  }

  /** Runs the handler, and ends its thread if it is idle then. */
  async invokeOnce(event: unknown): Promise<InvocationOutcome> {
    const outcome = await this.invoke(event);
    await this.unload();
    return outcome;
  }

  get inFlight(): number {
    return this.#running.size;
  }

  /** Ends its thread if it is working, as a crash does. Resolves with whether it was. The next invocation starts a new one. */
  async kill(): Promise<boolean> {
    const thread = this.#thread;
    if (thread === undefined || this.inFlight === 0) return false;
    await thread.terminate();
    return true;
  }

  /** Waits up to `graceMs` for running invocations, then stops the threads. */
  async close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    await waitAtMost([...this.#running], graceMs);
    await Promise.all([...this.#threads].map((thread) => thread.terminate()));
  }

  async #invoke(event: string, onPart?: (bytes: Uint8Array) => void): Promise<InvocationOutcome> {
    const id = randomUUID();
    const { timeoutMs } = this.spec;
    const thread = this.pauseMs > 0 && this.#lastFailure ? this.#lastFailure : await this.#started();
    if (thread instanceof FunctionLoadError)
      return { kind: 'failed', errorType: LOAD_ERROR_TYPE, message: String(thread) };
    const timer = setTimeout(() => {
      if (this.#thread === thread) this.#thread = undefined;
      const message = `${id} Task timed out after ${(timeoutMs / 1000).toFixed(2)} seconds`;
      thread.abandon(id, { kind: 'failed', errorType: TIMEOUT_ERROR_TYPE, message });
    }, timeoutMs);
    try {
      return await thread.call({ id, event, deadline: Date.now() + timeoutMs }, onPart);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Returns a thread with a loaded bundle, or why there is none. Like Lambda, restarts it once within the same invocation if it ends.
   */
  async #started(): Promise<FunctionThread | FunctionLoadError> {
    const first = this.#current();
    const loaded = await this.#loaded(first);
    // Another event may have waited for the same thread, as its second one.
    if (loaded === first || this.#isClosed || this.pauseMs > 0) return loaded;
    const again = await this.#loaded(this.#current());
    // `close` may have ended it.
    if (again instanceof FunctionLoadError && !this.#isClosed) this.#pause(again);
    return again;
  }

  async #loaded(thread: FunctionThread): Promise<FunctionThread | FunctionLoadError> {
    try {
      await thread.ready;
      this.#endPause();
      return thread;
    } catch (error) {
      // The thread's end may be known before `#forget` runs.
      if (this.#thread === thread) this.#thread = undefined;
      if (error instanceof FunctionLoadError) return error;
      throw error;
    }
  }

  #pause(failure: FunctionLoadError): void {
    // Other events waited for the same thread.
    if (failure === this.#lastFailure) return;
    this.#lastFailure = failure;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, MAX_PAUSE_MS);
    this.#failures += 1;
    this.#pausedUntil = this.#options.now() + pauseMs;
    // Otherwise the report would promise another start.
    if (!this.#isGivenUp(failure)) this.#options.report({ kind: 'failed', reason: failure.reason, pauseMs });
  }

  #endPause(): void {
    if (this.#failures === 0) return;
    this.#failures = 0;
    this.#lastFailure = undefined;
    this.#pausedUntil = -Infinity;
    this.#options.report({ kind: 'loaded' });
  }

  #current(): FunctionThread {
    if (this.#thread !== undefined) return this.#thread;
    const { directory, handler, name, arn, memoryMb, isTraced = false, env } = this.spec;
    const start = { directory, handler, functionName: name, functionArn: arn, memoryMb, isTraced };
    const thread = new FunctionThread(start, env, this.#log);
    this.#thread = thread;
    this.#threads.add(thread);
    void this.#forget(thread);
    return thread;
  }

  async #forget(thread: FunctionThread): Promise<void> {
    await thread.ended;
    this.#threads.delete(thread);
    if (this.#thread === thread) this.#thread = undefined;
  }
}

async function waitAtMost(running: readonly Promise<unknown>[], ms: number): Promise<void> {
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(timeout.resolve, ms);
  await Promise.race([Promise.allSettled(running), timeout.promise]);
  clearTimeout(timer);
}
