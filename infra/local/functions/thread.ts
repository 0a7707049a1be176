import { Worker } from 'node:worker_threads';
import type { Readable } from 'node:stream';
import type { Call, ThreadMessage, ThreadStart } from './thread-messages.ts';

/** How an invocation ended: with JSON, with the handler's error, by its timeout, or because the thread died. */
export type Outcome =
  | { readonly kind: 'answer'; readonly payload: string }
  | { readonly kind: 'failed'; readonly errorType: string; readonly message: string };

/** One worker thread that runs one bundle, with an environment of its own, for several invocations at a time. */
export class FunctionThread {
  readonly #worker: Worker;
  readonly #running = new Map<string, (outcome: Outcome) => void>();
  /** Resolves when the bundle is loaded; rejects when it cannot be. */
  readonly ready: Promise<void>;
  /** Resolves when the thread has gone, for whatever reason. */
  readonly gone: Promise<void>;
  #retiring = false;

  constructor(start: ThreadStart, env: Readonly<Record<string, string>>, log: (output: Readable) => void) {
    const options = {
      env: { ...env },
      workerData: start,
      stdout: true,
      stderr: true,
      name: start.functionName,
    };
    this.#worker = new Worker(new URL('function-thread.js', import.meta.url), options);
    log(this.#worker.stdout);
    log(this.#worker.stderr);
    const loaded = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    this.ready = loaded.promise;
    this.gone = ended.promise;
    // A thread that dies later is reported through its invocations; nobody may be waiting for `ready` then.
    this.ready.catch(() => {});
    let reason = 'The function ended its own process';
    this.#worker.on('message', (message: ThreadMessage) => {
      if (message.kind === 'ready') loaded.resolve();
      else this.#settle(message.id, message);
    });
    this.#worker.on('error', (error) => {
      reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    });
    this.#worker.on('exit', () => {
      loaded.reject(new Error(`${start.functionName} did not start. ${reason}`));
      for (const id of this.#running.keys()) {
        this.#settle(id, { kind: 'failed', errorType: 'Runtime.ExitError', message: reason });
      }
      ended.resolve();
    });
  }

  /** Runs the handler; the promise resolves with how it ended and never rejects. */
  call(call: Call): Promise<Outcome> {
    return new Promise((resolve) => {
      this.#running.set(call.id, resolve);
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      this.#worker.postMessage(call);
    });
  }

  /** Gives up waiting for an invocation. The thread is not to be used again: the handler may still be at work. */
  abandon(id: string, outcome: Outcome): void {
    this.#retiring = true;
    this.#settle(id, outcome);
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  #settle(id: string, outcome: Outcome): void {
    const settle = this.#running.get(id);
    this.#running.delete(id);
    settle?.(outcome);
    // Lambda stops an environment whose invocation ran out of time; here the others in the thread finish first.
    if (this.#retiring && this.#running.size === 0) void this.#worker.terminate();
  }
}
