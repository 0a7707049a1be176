import { Worker } from 'node:worker_threads';
import type { Readable } from 'node:stream';
import type { InvocationMessage, ThreadMessage, ThreadStart } from './thread-messages.ts';

/** The result of an invocation: JSON, an error of the handler, a timeout, or the thread's end. */
export type InvocationOutcome =
  | { readonly kind: 'answer'; readonly payload: string }
  | { readonly kind: 'failed'; readonly errorType: string; readonly message: string };

/** The deployed workers have a young generation of 1 MB too. With Node's default, each idle thread keeps some MB more. */
const YOUNG_GENERATION_MB = 3;

/** A function could not be loaded. */
export class FunctionLoadError extends Error {
  override readonly name = 'FunctionLoadError';
  readonly reason: string;
  /** Whether the bundle threw an error, and not only the thread ended: it would throw again. */
  readonly isThrown: boolean;

  constructor(functionName: string, reason: string, isThrown: boolean) {
    super(`${functionName} did not start. ${reason}`);
    this.reason = reason;
    this.isThrown = isThrown;
  }
}

/** A worker thread that runs one bundle with its own environment, for several concurrent invocations. */
export class FunctionThread {
  readonly #worker: Worker;
  readonly #running = new Map<string, (outcome: InvocationOutcome) => void>();
  readonly #readers = new Map<string, (bytes: Uint8Array) => void>();
  /** Resolves when the bundle is loaded; rejects with FunctionLoadError when it cannot be loaded. */
  readonly ready: Promise<void>;
  /** Resolves when the thread has ended for any reason. */
  readonly ended: Promise<void>;
  #isRetiring = false;

  constructor(start: ThreadStart, env: Readonly<Record<string, string>>, log: (output: Readable) => void) {
    const options = {
      env: { ...env },
      workerData: start,
      stdout: true,
      stderr: true,
      name: start.functionName,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    };
    this.#worker = new Worker(new URL('function-thread.js', import.meta.url), options);
    log(this.#worker.stdout);
    log(this.#worker.stderr);
    const loaded = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    this.ready = loaded.promise;
    this.ended = ended.promise;
    // Later ends are reported by the invocations; nobody may be waiting for `ready` then.
    this.ready.catch(() => {});
    let reason = 'Its process ended';
    let isThrown = false;
    this.#worker.on('message', (message: ThreadMessage) => {
      if (message.kind === 'ready') loaded.resolve();
      else if (message.kind === 'part') this.#readers.get(message.id)?.(message.bytes);
      else this.#settle(message.id, message);
    });
    this.#worker.on('error', (error) => {
      reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      // Without memory the thread is ended, and may have enough the next time.
      isThrown = !(error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY');
    });
    this.#worker.on('exit', () => {
      loaded.reject(new FunctionLoadError(start.functionName, reason, isThrown));
      for (const id of this.#running.keys()) {
        this.#settle(id, { kind: 'failed', errorType: 'Runtime.ExitError', message: reason });
      }
      ended.resolve();
    });
  }

  /** Runs the handler. Resolves with its outcome; never rejects. `onPart` gets the parts of a streamed response. */
  call(call: InvocationMessage, onPart?: (bytes: Uint8Array) => void): Promise<InvocationOutcome> {
    return new Promise((resolve) => {
      this.#running.set(call.id, resolve);
      if (onPart) this.#readers.set(call.id, onPart);
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      this.#worker.postMessage(call);
    });
  }

  /** Ends an invocation with this outcome. The thread must not be reused, because the handler may still run. */
  abandon(id: string, outcome: InvocationOutcome): void {
    this.#isRetiring = true;
    this.#settle(id, outcome);
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  #settle(id: string, outcome: InvocationOutcome): void {
    const settle = this.#running.get(id);
    this.#running.delete(id);
    this.#readers.delete(id);
    settle?.(outcome);
    // Lambda stops the environment of an invocation that timed out; here other invocations of the thread finish first.
    if (this.#isRetiring && this.#running.size === 0) void this.#worker.terminate();
  }
}
