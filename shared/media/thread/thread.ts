import { Worker } from 'node:worker_threads';

const MB = 1024 * 1024;
/** Heap of the thread. Sound itself lies outside of it. */
const HEAP_MB = 128;
/** Of the thread's heap and of what lies outside of it: buffers, the memories of decoders. */
const MAX_BYTES = 320 * MB;
/** Often enough for what a thread can fill in between. */
const POLL_INTERVAL_MS = 25;

export type ThreadConfig = {
  /** Where the code of the thread lies. */
  readonly thread: string | URL;
  readonly time: {
    readonly now: () => number;
    readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  };
  /** How long the thread may take to answer, all its answers together, in ms. */
  readonly patienceMs: number;
};

/** Why a thread was ended, or ended itself. */
export type FailureReason = 'slow' | 'large' | 'broken';

/**
 * A thread that works on what a stranger made: it may loop, crash or fill the memory, and does not answer then. It
 * answers one message for each that it is sent, is given no environment, and must be ended.
 */
export class Thread<Answer> {
  readonly #worker: Worker;
  readonly #config: ThreadConfig;
  #patienceMs: number;
  #gone = false;

  constructor(config: ThreadConfig, given: unknown) {
    this.#config = config;
    this.#patienceMs = config.patienceMs;
    this.#worker = new Worker(config.thread, {
      workerData: given,
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: 8 },
    });
    // Without a listener, an error of the thread would end the process; `ask` hears of it by the exit.
    this.#worker.on('error', () => undefined);
    this.#worker.on('exit', () => (this.#gone = true));
  }

  /** The thread's next answer, or why there is none. Time counts only while it is asked. */
  async ask(): Promise<{ readonly answer: Answer } | { readonly ended: FailureReason }> {
    if (this.#gone) return { ended: 'broken' };
    const { promise, resolve } = Promise.withResolvers<{ answer: Answer } | { ended: FailureReason }>();
    const over = new AbortController();
    const begin = this.#config.time.now();
    const told = (answer: Answer): void => resolve({ answer });
    const gone = (): void => resolve({ ended: 'broken' });
    this.#worker.once('message', told);
    this.#worker.once('exit', gone);
    const looking = setInterval(() => {
      void this.#isLarge().then((large) => large && resolve({ ended: 'large' }));
    }, POLL_INTERVAL_MS);
    this.#config.time.sleep(this.#patienceMs, over.signal).then(
      () => resolve({ ended: 'slow' }),
      () => undefined,
    );
    try {
      this.#worker.postMessage('next');
      return await promise;
    } finally {
      clearInterval(looking);
      over.abort(new Error('the thread has answered'));
      this.#worker.off('message', told).off('exit', gone);
      this.#patienceMs -= this.#config.time.now() - begin;
    }
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  /** Of this thread alone, whatever else the process does; the engine tells it also of one that loops. */
  async #isLarge(): Promise<boolean> {
    // Rejects for a thread that has not begun, or has gone.
    const held = await this.#worker.getHeapStatistics().catch(() => undefined);
    return held !== undefined && held.used_heap_size + held.external_memory > MAX_BYTES;
  }
}
