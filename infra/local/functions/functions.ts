import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { FunctionThread, type InvocationOutcome } from './thread.ts';
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

/** Runs one function: starts its thread when needed, and replaces it after a crash or a timeout. */
export class LocalFunction {
  readonly spec: FunctionSpec;
  readonly #log: (output: Readable) => void;
  #thread: FunctionThread | undefined;
  readonly #threads = new Set<FunctionThread>();
  readonly #running = new Set<Promise<InvocationOutcome>>();

  constructor(spec: FunctionSpec, log: (output: Readable) => void) {
    this.spec = spec;
    this.#log = log;
  }

  /** Loads the bundle before the first event. Rejects when it cannot be loaded. */
  async warm(): Promise<void> {
    await this.#started();
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
    await waitAtMost([...this.#running], graceMs);
    await Promise.all([...this.#threads].map((thread) => thread.terminate()));
  }

  async #invoke(event: string, onPart?: (bytes: Uint8Array) => void): Promise<InvocationOutcome> {
    const id = randomUUID();
    const { timeoutMs } = this.spec;
    const thread = await this.#started().catch((error: unknown) => String(error));
    if (typeof thread === 'string')
      return { kind: 'failed', errorType: 'Runtime.ImportModuleError', message: thread };
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

  /** Returns a thread with a loaded bundle. Like Lambda, restarts it once within the same invocation if it ends. */
  async #started(): Promise<FunctionThread> {
    const first = this.#current();
    try {
      await first.ready;
      return first;
    } catch {
      // The thread's end may be known before `#forget` runs.
      if (this.#thread === first) this.#thread = undefined;
    }
    const second = this.#current();
    await second.ready;
    return second;
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
