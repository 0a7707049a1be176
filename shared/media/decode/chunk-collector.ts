import { SilenceSplitter, readPendingAudio, type AudioSpan } from './split-at-silence.ts';
import type { MediaEvent, IncompleteReason, AudioChunk } from '../media-events.ts';
import { SAMPLE_RATE, encodeWav } from '../formats/wav.ts';

export type ChunkOptions = {
  /** The first chunk to return; earlier ones are skipped. */
  readonly firstChunk: number;
  /** Maximum duration to decode, in ms. */
  readonly maxMs: number;
  /** Memory for audio that is not in a chunk yet: see `createPendingBuffer`. */
  readonly pendingBuffer?: SharedArrayBuffer | undefined;
};

/** The interval of progress events without a chunk, in samples. */
const PROGRESS_SAMPLES = 10 * SAMPLE_RATE;

/** Converts a number of decoded samples to ms. */
export const toMilliseconds = (samples: number): number => Math.round((samples * 1000) / SAMPLE_RATE);

/** Turns decoded samples into events. */
export class ChunkCollector {
  readonly #splitter: SilenceSplitter;
  readonly #options: ChunkOptions;
  readonly #maxSamples: number;
  #chunkCount = 0;
  #reportedPosition = 0;

  constructor(options: ChunkOptions) {
    this.#options = options;
    this.#splitter = new SilenceSplitter(options.pendingBuffer);
    this.#maxSamples = Math.round((options.maxMs * SAMPLE_RATE) / 1000);
  }

  get position(): number {
    return this.#splitter.position;
  }

  get isFull(): boolean {
    return this.position >= this.#maxSamples;
  }

  *push(samples: Int16Array): Generator<MediaEvent> {
    yield* this.#toChunks(this.#splitter.push(samples.subarray(0, this.#maxSamples - this.position)));
    if (this.position - this.#reportedPosition < PROGRESS_SAMPLES) return;
    this.#reportedPosition = this.position;
    yield { type: 'progress', ms: toMilliseconds(this.position) };
  }

  /** Adds silence up to this position in the recording. */
  *pushSilence(until: number): Generator<MediaEvent> {
    const second = new Int16Array(SAMPLE_RATE);
    while (this.position < until && !this.isFull) yield* this.push(second.subarray(0, until - this.position));
  }

  *end(partial: IncompleteReason | undefined): Generator<MediaEvent> {
    yield* this.#toChunks(this.#splitter.end());
    const ms = toMilliseconds(this.position);
    yield { type: 'end', ms, chunks: this.#chunkCount, ...(partial && { partial }) };
  }

  *#toChunks(spans: Iterable<AudioSpan>): Generator<MediaEvent> {
    for (const span of spans) {
      const n = this.#chunkCount;
      this.#chunkCount += 1;
      if (n < this.#options.firstChunk) continue;
      this.#reportedPosition = this.position;
      yield createChunk(n, span);
    }
  }
}

function createChunk(n: number, { from, samples }: AudioSpan): AudioChunk {
  const span = { fromMs: toMilliseconds(from), toMs: toMilliseconds(from + samples.length) };
  return { type: 'chunk', n, wav: encodeWav(samples), ...span, last: false };
}

/**
 * Ends a recording whose decoding was aborted: the pending audio becomes the last chunks, without silence. `firstChunk`
 * is that of `ChunkOptions`.
 */
export function* endFromPending(
  buffer: SharedArrayBuffer,
  firstChunk: number,
  partial: IncompleteReason,
): Generator<MediaEvent> {
  const { from, samples, given: chunkCount } = readPendingAudio(buffer);
  const splitter = new SilenceSplitter();
  const spans = [...splitter.push(samples), ...splitter.end()];
  for (const [index, span] of spans.entries()) {
    if (chunkCount + index >= firstChunk)
      yield createChunk(chunkCount + index, { ...span, from: from + span.from });
  }
  const ms = toMilliseconds(from + samples.length);
  yield { type: 'end', ms, chunks: chunkCount + spans.length, partial };
}
