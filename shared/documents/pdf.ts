import { Worker } from 'node:worker_threads';

/** The words of a PDF: of its first `pages` of `of`. */
export type PdfText =
  | { readonly kind: 'text'; readonly text: string; readonly pages: number; readonly of: number }
  | { readonly kind: 'locked' | 'broken' | 'slow' | 'large' };

/** How long the PDFs of one question may still take together, in ms. */
export type PdfTime = { leftMs: number };

/** Never rejects. Once the time of a question is used up, its further PDFs are `slow` at once. */
export type PdfReader = (bytes: Uint8Array, time: PdfTime) => Promise<PdfText>;

/** How long the PDFs of one question may take together. Ordinary ones take well under a second. */
export const PDF_TIMEOUT_MS = 15_000;
const MB = 1024 * 1024;
/** Heap of the thread. A PDF is compressed: one of a kilobyte may unfold into a gigabyte. */
const HEAP_MB = 96;
/** Of the heap and of what lies outside of it, beside the file itself: what is unfolded lies there. */
export const MAX_PDF_BYTES = 192 * MB;
/** Often enough for what a thread can fill in between. */
const POLL_INTERVAL_MS = 25;

export type PdfReaderConfig = {
  /** Where `pdf-thread` lies. */
  readonly thread: string | URL;
  readonly now: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
};

/**
 * Reads PDFs one at a time, each in a thread of its own: what is in them is a stranger's, so that the thread may loop,
 * crash or fill the memory, and is ended then. It is given no environment. A question that asks for one PDF after another takes turns with
 * the other questions: slow ones of one hold another up for the time of one question at most.
 */
export function pdfReader(config: PdfReaderConfig): PdfReader {
  let last: Promise<unknown> = Promise.resolve();
  return (bytes, time) => {
    const read = last.then(async (): Promise<PdfText> => {
      if (time.leftMs <= 0) return { kind: 'slow' };
      const begin = config.now();
      const text = await readIn(bytes, time.leftMs, config);
      time.leftMs -= config.now() - begin;
      return text;
    });
    last = read;
    return read;
  };
}

async function readIn(
  bytes: Uint8Array,
  timeoutMs: number,
  { thread, sleep }: PdfReaderConfig,
): Promise<PdfText> {
  const over = new AbortController();
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
  const looking = setInterval(() => {
    void heldBy(worker).then((held) => held > MAX_PDF_BYTES + bytes.length && resolve({ kind: 'large' }));
  }, POLL_INTERVAL_MS);
  sleep(timeoutMs, over.signal).then(
    () => resolve({ kind: 'slow' }),
    () => undefined,
  );
  try {
    return await promise;
  } finally {
    clearInterval(looking);
    over.abort(new Error('the PDF has been read'));
    await worker.terminate();
  }
}

/** What the thread holds, whatever else the process does, in bytes; the engine tells it also of one that loops. */
async function heldBy(worker: Worker): Promise<number> {
  // Rejects for a thread that has not begun, or has gone.
  const held = await worker.getHeapStatistics().catch(() => undefined);
  return held === undefined ? 0 : held.used_heap_size + held.external_memory;
}
