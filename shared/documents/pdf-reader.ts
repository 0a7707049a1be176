import { Worker } from 'node:worker_threads';

/** The text of the first `pages` of `of` pages, with a form feed between pages. */
export type PdfText =
  | { readonly kind: 'text'; readonly text: string; readonly pages: number; readonly of: number }
  | { readonly kind: 'locked' | 'broken' | 'slow' | 'large' | 'no-pdf' };

/** Time left for the PDFs of one question together, in ms. */
export type PdfTimeBudget = { remainingMs: number };

/** Extracts text. Never rejects. When the time of a question is used up, its further PDFs are `slow` at once. */
export type PdfReader = (bytes: Uint8Array, budget: PdfTimeBudget) => Promise<PdfText>;

/** Of a process without memory for PDFs: another worker reads them. */
export const noPdfReader: PdfReader = () => Promise.resolve({ kind: 'no-pdf' });

/** Time limit for the PDFs of one question together. Ordinary ones take well under a second. */
export const PDF_TIMEOUT_MS = 15_000;
const MB = 1024 * 1024;
/** Heap of the thread. PDFs are compressed: a kilobyte may expand to a gigabyte. */
const HEAP_MB = 96;
/** Heap plus external memory, besides the file itself; decompressed data is external. */
export const MAX_PDF_MEMORY_BYTES = 192 * MB;
/** Short compared to the time in which a thread can fill the memory. */
const POLL_INTERVAL_MS = 25;

export type PdfReaderConfig = {
  /** The entry file of `pdf-thread`. */
  readonly entryFile: string | URL;
  readonly now: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
};

/**
 * Creates a reader that parses PDFs one at a time, each in its own worker thread without environment variables: a
 * malicious PDF may make the thread loop, crash or fill the memory, and the thread is then ended. Questions take turns, so
 * slow PDFs of one question delay another by at most one question's time.
 */
export function createPdfReader(config: PdfReaderConfig): PdfReader {
  // Not a `SerialQueue`: this module imports no other one. `readInThread` never rejects.
  let last: Promise<unknown> = Promise.resolve();
  return (bytes, budget) => {
    const reading = last.then(async (): Promise<PdfText> => {
      if (budget.remainingMs <= 0) return { kind: 'slow' };
      const startedAt = config.now();
      const text = await readInThread(bytes, budget.remainingMs, config);
      budget.remainingMs -= config.now() - startedAt;
      return text;
    });
    last = reading;
    return reading;
  };
}

async function readInThread(
  bytes: Uint8Array,
  timeoutMs: number,
  { entryFile: thread, sleep }: PdfReaderConfig,
): Promise<PdfText> {
  const finished = new AbortController();
  const worker = new Worker(thread, {
    workerData: bytes,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: 16 },
  });
  const { promise, resolve } = Promise.withResolvers<PdfText>();
  worker.once('message', (message: PdfText) => resolve(message));
  worker.once('error', () => resolve({ kind: 'broken' }));
  worker.once('exit', () => resolve({ kind: 'broken' }));
  const memoryTimer = setInterval(() => {
    void getMemory(worker).then(
      (memory) => memory > MAX_PDF_MEMORY_BYTES + bytes.length && resolve({ kind: 'large' }),
    );
  }, POLL_INTERVAL_MS);
  sleep(timeoutMs, finished.signal).then(
    () => resolve({ kind: 'slow' }),
    () => undefined,
  );
  try {
    return await promise;
  } finally {
    clearInterval(memoryTimer);
    finished.abort(new Error('the PDF has been read'));
    await worker.terminate();
  }
}

/** Returns the memory of the thread in bytes; works even while the thread loops. */
async function getMemory(worker: Worker): Promise<number> {
  // Rejects before the thread has started and after it has exited.
  const memory = await worker.getHeapStatistics().catch(() => undefined);
  return memory === undefined ? 0 : memory.used_heap_size + memory.external_memory;
}
