import { Worker } from 'node:worker_threads';

const MB = 1024 * 1024;
/** Heap of the thread. Sound itself lies outside of it. */
const HEAP_MB = 128;
/** By how much the memory of the process may grow while the thread runs. */
const MOST_GROWTH = 320 * MB;
/** Often enough for what a thread can fill in between. */
const LOOK_EVERY_MS = 25;

export type ThreadConfig = {
  /** Where the code of the thread lies. */
  readonly thread: string | URL;
  readonly time: {
    readonly now: () => number;
    readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  };
  /** How long the thread may take to answer, all its answers together, in ms. */
  readonly patienceMs: number;
  /** The memory that the process holds, in bytes. */
  readonly memory?: (() => number) | undefined;
};

/** Why a thread was ended, or ended itself. */
export type Ended = 'slow' | 'large' | 'broken';

/**
 * A thread that works on what a stranger made: it may loop, crash or fill the memory, and does not answer then. It
 * answers one message for each that it is sent, is given no environment, and must be ended.
 */
export class Thread<Answer> {
  readonly #worker: Worker;
  readonly #config: ThreadConfig;
  readonly #most: number;
  #patienceMs: number;
  #gone = false;

  constructor(config: ThreadConfig, given: unknown) {
    this.#config = config;
    this.#patienceMs = config.patienceMs;
    this.#most = this.#memory() + MOST_GROWTH;
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
  async ask(): Promise<{ readonly answer: Answer } | { readonly ended: Ended }> {
    if (this.#gone) return { ended: 'broken' };
    const { promise, resolve } = Promise.withResolvers<{ answer: Answer } | { ended: Ended }>();
    const over = new AbortController();
    const begin = this.#config.time.now();
    const told = (answer: Answer): void => resolve({ answer });
    const gone = (): void => resolve({ ended: 'broken' });
    this.#worker.once('message', told);
    this.#worker.once('exit', gone);
    const looking = setInterval(() => {
      if (this.#memory() > this.#most) resolve({ ended: 'large' });
    }, LOOK_EVERY_MS);
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

  #memory(): number {
    return this.#config.memory?.() ?? process.memoryUsage.rss();
  }
}
