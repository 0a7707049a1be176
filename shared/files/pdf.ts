import { Worker } from 'node:worker_threads';

/** The words of a PDF: of its first `pages` of `of`. */
export type PdfText =
  | { readonly kind: 'text'; readonly text: string; readonly pages: number; readonly of: number }
  | { readonly kind: 'locked' | 'broken' | 'slow' };

/** Never rejects. */
export type PdfReader = (bytes: Uint8Array) => Promise<PdfText>;

/** How long a PDF may take, its turn to be read included. Ordinary ones take well under a second. */
export const PDF_DEADLINE_MS = 15_000;
/** Heap of the thread, in MB. A PDF is compressed: a small one may unfold into anything. */
const HEAP_MB = 96;

/**
 * Reads PDFs one at a time, each in a thread of its own: what is in them is a stranger's, so that the thread may loop,
 * crash or run out of memory, and is ended then. It is given no environment. `thread` is where `pdf-thread` lies.
 */
export function pdfReader(
  thread: string | URL,
  time: { readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void> },
): PdfReader {
  let last: Promise<unknown> = Promise.resolve();
  return (bytes) => {
    const read = last.then(() => readIn(thread, bytes, time));
    last = read;
    return read;
  };
}

async function readIn(
  thread: string | URL,
  bytes: Uint8Array,
  time: { readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void> },
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
  const answered = new Promise<PdfText>((resolve) => {
    worker.once('message', (message: PdfText) => resolve(message));
    worker.once('error', () => resolve({ kind: 'broken' }));
    worker.once('exit', () => resolve({ kind: 'broken' }));
  });
  const late = time.sleep(PDF_DEADLINE_MS, over.signal).then(
    (): PdfText => ({ kind: 'slow' }),
    (): PdfText => ({ kind: 'slow' }),
  );
  try {
    return await Promise.race([answered, late]);
  } finally {
    over.abort(new Error('the PDF has been read'));
    await worker.terminate();
  }
}
