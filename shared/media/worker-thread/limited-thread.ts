import { Worker } from 'node:worker_threads';

const MB = 1024 * 1024;
/** Heap of the thread. Audio is outside of it. */
const HEAP_MB = 128;
/** Heap plus external memory of the thread: buffers and the memories of decoders. */
const MAX_BYTES = 320 * MB;
/** Short compared to the time in which a thread can fill the memory. */
const POLL_INTERVAL_MS = 25;

export type ThreadConfig = {
  /** The thread's entry file. */
  readonly entryFile: string | URL;
  readonly time: {
    readonly now: () => number;
    readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  };
  /** Time limit for all replies of the thread together. */
  readonly timeoutMs: number;
};

/** Why a thread failed. */
export type FailureReason = 'slow' | 'large' | 'broken';

/**
 * A worker thread for untrusted input, which may make it loop, crash or fill the memory. It sends one reply per message, has
 * no environment variables, and must be ended.
 */
export class LimitedThread<Reply> {
  readonly #worker: Worker;
  readonly #config: ThreadConfig;
  #remainingMs: number;
  #hasExited = false;

  constructor(config: ThreadConfig, workerData: unknown) {
    this.#config = config;
    this.#remainingMs = config.timeoutMs;
    this.#worker = new Worker(config.entryFile, {
      workerData,
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: 8 },
    });
    // Without a listener, an error in the thread would end the process. `next` learns of it by the exit event.
    this.#worker.on('error', () => undefined);
    this.#worker.on('exit', () => (this.#hasExited = true));
  }

  /** Returns the thread's next reply, or why there is none. Time counts only while waiting. */
  async next(): Promise<{ readonly reply: Reply } | { readonly failure: FailureReason }> {
    if (this.#hasExited) return { failure: 'broken' };
    const { promise, resolve } = Promise.withResolvers<{ reply: Reply } | { failure: FailureReason }>();
    const finished = new AbortController();
    const startedAt = this.#config.time.now();
    const onMessage = (reply: Reply): void => resolve({ reply });
    const onExit = (): void => resolve({ failure: 'broken' });
    this.#worker.once('message', onMessage);
    this.#worker.once('exit', onExit);
    const memoryTimer = setInterval(() => {
      void this.#isLarge().then((isLarge) => isLarge && resolve({ failure: 'large' }));
    }, POLL_INTERVAL_MS);
    this.#config.time.sleep(this.#remainingMs, finished.signal).then(
      () => resolve({ failure: 'slow' }),
      () => undefined,
    );
    try {
      this.#worker.postMessage('next');
      return await promise;
    } finally {
      clearInterval(memoryTimer);
      finished.abort(new Error('the thread has replied'));
      this.#worker.off('message', onMessage).off('exit', onExit);
      this.#remainingMs -= this.#config.time.now() - startedAt;
    }
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  /** Measures this thread only; works even while the thread loops. */
  async #isLarge(): Promise<boolean> {
    // Rejects before the thread has started and after it has exited.
    const heap = await this.#worker.getHeapStatistics().catch(() => undefined);
    return heap !== undefined && heap.used_heap_size + heap.external_memory > MAX_BYTES;
  }
}
