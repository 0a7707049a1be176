import type { UserId, QueueDelivery } from '../../domain/index.ts';
import type { RecordingDuration, AudioChunk } from '../../media/index.ts';
import type { StoredChunk, RecordingRef, PermitRequest } from '../../storage/index.ts';
import { RateLimitedRequest } from '../../chat/index.ts';
import { withSpeechBudget } from '../billing.ts';
import { MessageDeletedError } from './forget.ts';
import type { TranscriptionResult, VoiceContext } from '../ports.ts';
import { permitWaitId } from './task-fields.ts';
import { TranscriptionStoppedError, throwIfEnded, watchForEnd } from './stop.ts';

/** Concurrent requests of one recording. */
const MAX_CONCURRENT_REQUESTS = 3;
/** Longest part of a recording that is transcribed: a function has no time for more. */
export const MAX_RECORDING_MS = 2 * 60 * 60_000;
/** Time before the deadline that is reserved for posting the progress. */
const REPORT_RESERVE_MS = 20_000;

export type TranscriptionInput = {
  readonly ref: RecordingRef;
  readonly bytes: Uint8Array;
  /** Also translate into this language (BCP 47). */
  readonly to?: string | undefined;
  /** Also speak the translation of these chunks; stop after them. */
  readonly speak?: SpeechRange | undefined;
  /** Called at the start and after each chunk, with the ordered chunks so far and the duration if the file states it. */
  readonly onProgress?:
    | ((chunks: readonly StoredChunk[], duration: RecordingDuration | undefined) => void)
    | undefined;
  readonly permitRequest: Omit<PermitRequest, 'maxWaitMs'>;
  /** Whose budget is charged. */
  readonly payer: UserId;
  readonly delivery: QueueDelivery;
  /** Whether a person may stop it. */
  readonly stoppable?: boolean | undefined;
  /** Longest part to transcribe, in ms. */
  readonly maxMs?: number | undefined;
};

export type SpeechRange = {
  readonly from: number;
  /** The first chunk that is not spoken. */
  readonly until: number;
  readonly onSpoken: (chunk: AudioChunk, wavs: readonly Uint8Array[]) => void;
};

export type WholeRecording = {
  readonly kind: 'whole';
  readonly chunks: readonly StoredChunk[];
  readonly ms: number;
  readonly partial?: string | undefined;
};

export type TranscribedRecording =
  | WholeRecording
  /** A person stopped it; the chunks are contiguous from the start. */
  | {
      readonly kind: 'stopped';
      readonly by: UserId;
      readonly chunks: readonly StoredChunk[];
      readonly duration: RecordingDuration | undefined;
    }
  /** No time for the rest, or it was not requested; the transcribed chunks are stored. */
  | { readonly kind: 'unfinished' };

/**
 * Transcribes a recording, a few chunks at a time, and stores each chunk at once, so that another delivery continues where
 * this one stopped. Rejects with the MediaError of the recording, the upstream's errors, RateLimitExceededError, or
 * MessageDeletedError.
 */
export async function transcribeChunks(
  input: TranscriptionInput,
  context: VoiceContext,
): Promise<TranscribedRecording> {
  const { ref } = input;
  const finished = new AbortController();
  const work = new ChunkTranscriber(input, finished, context);
  const watching = input.stoppable
    ? watchForEnd(ref, context, finished.signal, (error) => work.fail(error))
    : Promise.resolve();
  try {
    return await work.run();
  } catch (error) {
    if (!(error instanceof TranscriptionStoppedError)) throw error;
    return { kind: 'stopped', by: error.by, chunks: work.fromBeginning(), duration: work.duration };
  } finally {
    finished.abort(new Error('the transcription has ended'));
    await watching;
  }
}

/** The transcription of one recording. */
class ChunkTranscriber {
  readonly #input: TranscriptionInput;
  readonly #context: VoiceContext;
  readonly #finished: AbortController;
  readonly #chunks = new Map<number, StoredChunk>();
  readonly #running = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;
  #duration: RecordingDuration | undefined;
  /** How many chunks this delivery has started. */
  #startedCount = 0;

  constructor(input: TranscriptionInput, finished: AbortController, context: VoiceContext) {
    this.#input = input;
    this.#finished = finished;
    this.#context = context;
  }

  get duration(): RecordingDuration | undefined {
    return this.#duration;
  }

  /** Ends the transcription. Requests in progress are paid for: their results are awaited and stored. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#finished.abort(error);
  }

  /** Returns the chunks from the start to the first missing one. */
  fromBeginning(): StoredChunk[] {
    return takeUntilGap(this.#inOrder());
  }

  async run(): Promise<TranscribedRecording> {
    const { ref, bytes, to, speak, delivery, maxMs: mostMs = MAX_RECORDING_MS } = this.#input;
    const { from: first = Infinity, until = Infinity } = speak ?? {};
    const storedChunks = await this.#context.recordings.listChunks(ref, to);
    for (const chunk of storedChunks) if (chunk.n < first) this.#chunks.set(chunk.n, chunk);
    for await (const event of this.#context.media.decode(bytes, {
      firstChunk: firstMissingChunk(this.#chunks),
      maxMs: mostMs,
    })) {
      if (event.type === 'begin') {
        this.#duration = event.length;
        this.#reportProgress();
      }
      if (event.type === 'chunk' && !this.#chunks.has(event.n)) {
        while (this.#running.size >= MAX_CONCURRENT_REQUESTS) await Promise.race(this.#running);
        if (this.#failure) break;
        if (event.n >= until || this.#context.time.now() > delivery.deadline - REPORT_RESERVE_MS) {
          await this.#drain();
          return { kind: 'unfinished' };
        }
        this.#start(event);
      }
      if (event.type === 'end') {
        await this.#drain();
        return { kind: 'whole', chunks: this.#inOrder(), ms: event.ms, partial: event.partial };
      }
    }
    await this.#drain();
    throw new Error('the decoder ended without an end event');
  }

  #start(chunk: AudioChunk): void {
    const request = this.#transcribe(chunk).finally(() => this.#running.delete(request));
    this.#running.add(request);
  }

  async #transcribe(chunk: AudioChunk): Promise<void> {
    try {
      const isFirst = this.#startedCount === 0;
      this.#startedCount += 1;
      const transcribed = await transcribeChunk(
        chunk,
        this.#input,
        { signal: this.#finished.signal, isFirst },
        this.#context,
      );
      this.#chunks.set(transcribed.n, transcribed);
      this.#reportProgress();
    } catch (error) {
      this.fail(error);
    }
  }

  /** Waits for all requests in progress. Rejects with the first failure. */
  async #drain(): Promise<void> {
    await Promise.all(this.#running);
    if (this.#failure) throw this.#failure.error;
  }

  #reportProgress(): void {
    // After a stop, the final card replaces the progress card.
    if (!(this.#failure?.error instanceof TranscriptionStoppedError))
      this.#input.onProgress?.(this.#inOrder(), this.#duration);
  }

  #inOrder(): StoredChunk[] {
    return [...this.#chunks.values()].toSorted((a, b) => a.n - b.n);
  }
}

/** `isFirst`: this delivery has started no other chunk of the recording. */
async function transcribeChunk(
  chunk: AudioChunk,
  { ref, to, speak, delivery, permitRequest, payer: person, stoppable }: TranscriptionInput,
  { signal, isFirst }: { readonly signal: AbortSignal; readonly isFirst: boolean },
  context: VoiceContext,
): Promise<StoredChunk> {
  // Later chunks wait here, at most a minute: after a return to the queue, the recording would be downloaded and decoded again.
  const mayLeave = isFirst && speak === undefined && !delivery.isLast;
  const queuedRequest = mayLeave ? { ...permitRequest, id: permitWaitId(ref, to) } : permitRequest;
  const limited = { ...context, permits: context.speechPermits };
  const request = new RateLimitedRequest({
    context: limited,
    delivery,
    signal,
    permitRequest: queuedRequest,
    canRequeue: mayLeave,
  });
  const own = { to, speak: speak !== undefined, deadline: delivery.deadline, ...context.settings.speech };
  const { thread, message, file } = ref;
  const id = [message, file, chunk.n, to ?? '', speak ? 'spoken' : ''].join('#');
  if (stoppable) await throwIfEnded(ref, context);
  else if (await context.recordings.isDeleted(ref)) throw new MessageDeletedError();
  const send = () =>
    request.untilReported(context.transcriptionClient.transcribe(chunk.wav, { ...own, ...request.options }));
  const result = await withSpeechBudget(
    { id, thread, person },
    { send, mayBeBilled: (failure) => request.countBillable(failure) > 0 },
    context,
  );
  const stored = toStoredChunk(chunk, result);
  await context.recordings.saveChunk(ref, stored, to);
  // Only after the chunk is stored: otherwise it is transcribed again, and its audio would be posted twice.
  speak?.onSpoken(chunk, result.audio);
  return stored;
}

/** Builds the stored chunk, with times from the start of the recording. */
function toStoredChunk(
  { n, fromMs, toMs }: AudioChunk,
  { text, words, translation, language }: TranscriptionResult,
): StoredChunk {
  return {
    n,
    fromMs,
    toMs,
    text,
    words: words.map((word) => ({
      text: word.text,
      fromMs: fromMs + word.fromMs,
      toMs: fromMs + word.toMs,
    })),
    translation,
    language,
  };
}

/** Returns the contiguous chunks from the start; expects them in order. */
export const takeUntilGap = (chunks: readonly StoredChunk[]): StoredChunk[] =>
  chunks.filter(({ n }, index) => n === index);

/** Returns the number of the first chunk that is not transcribed. */
function firstMissingChunk(chunks: ReadonlyMap<number, unknown>): number {
  let n = 0;
  while (chunks.has(n)) n += 1;
  return n;
}
