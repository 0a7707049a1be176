import type { UserId } from '../../domain/index.ts';
import type { RecordingDuration, AudioChunk } from '../../media/index.ts';
import type { StoredChunk, RecordingRef } from '../../storage/index.ts';
import type { QueueDelivery, PermitRequest } from '../../context/ports.ts';
import { LimitedRequest } from '../../chat/model/rate-limited-request.ts';
import { withSpeechBudget } from '../billing.ts';
import { MessageGone } from './forget.ts';
import type { TranscriptionResult, VoiceContext } from '../ports.ts';
import { waitIdOf } from './task-fields.ts';
import { TranscriptionStopped, throwIfEnded, watchForEnd } from './stop.ts';

/** Requests of one recording at a time. */
const SIDE_BY_SIDE = 3;
/** How much of a recording is listened to: what a function has the time for. */
export const MAX_MS = 2 * 60 * 60_000;
/** What a delivery keeps back of its time, to show how far it came. */
const CLOSING_MS = 20_000;

export type TranscriptionInput = {
  readonly ref: RecordingRef;
  readonly bytes: Uint8Array;
  /** Into this language too. */
  readonly to?: string | undefined;
  /** Wants the translation of these pieces spoken; those before them were, and those behind them are left. */
  readonly speak?: SpokenLanguage | undefined;
  /** Told when it begins, and of what is heard so far, in order; of how much, as far as the file tells. */
  readonly progress?:
    | ((heard: readonly StoredChunk[], whole: RecordingDuration | undefined) => void)
    | undefined;
  /** Whose requests these are, and who waits for them. */
  readonly ask: Omit<PermitRequest, 'maxWaitMs'>;
  /** Who pays for them. */
  readonly person: UserId;
  readonly delivery: QueueDelivery;
  /** A person may stop it. */
  readonly stoppable?: boolean | undefined;
  /** No more than this is listened to, in ms. */
  readonly mostMs?: number | undefined;
};

export type SpokenLanguage = {
  readonly from: number;
  /** The first that is left. */
  readonly until: number;
  readonly spoken: (piece: AudioChunk, wavs: readonly Uint8Array[]) => void;
};

export type WholeRecording = {
  readonly kind: 'whole';
  readonly pieces: readonly StoredChunk[];
  readonly ms: number;
  readonly partial?: string | undefined;
};

export type TranscribedRecording =
  | WholeRecording
  /** A person stopped it: what was heard from its beginning until then. */
  | {
      readonly kind: 'stopped';
      readonly by: UserId;
      readonly pieces: readonly StoredChunk[];
      readonly whole: RecordingDuration | undefined;
    }
  /** There was no time for the rest, or it is left; what was heard is kept. */
  | { readonly kind: 'unfinished' };

/**
 * Listens to a recording piece by piece, a few at a time, and keeps each piece as soon as it is heard: another delivery
 * goes on where this one stopped. Rejects with the MediaError of the recording, the upstream's errors, or RateLimitExceededError.
 */
export async function transcribePieces(
  to: TranscriptionInput,
  context: VoiceContext,
): Promise<TranscribedRecording> {
  const { ref } = to;
  const over = new AbortController();
  const work = new PieceTranscriber(to, over, context);
  const watching = to.stoppable
    ? watchForEnd(ref, context, over.signal, (why) => work.fail(why))
    : Promise.resolve();
  try {
    return await work.run();
  } catch (error) {
    if (!(error instanceof TranscriptionStopped)) throw error;
    return { kind: 'stopped', by: error.by, pieces: work.fromBeginning(), whole: work.whole };
  } finally {
    over.abort(new Error('nothing more is listened to'));
    await watching;
  }
}

/** One recording that is listened to. */
class PieceTranscriber {
  readonly #to: TranscriptionInput;
  readonly #context: VoiceContext;
  readonly #over: AbortController;
  readonly #heard = new Map<number, StoredChunk>();
  readonly #running = new Set<Promise<void>>();
  #failure: { readonly why: unknown } | undefined;
  #whole: RecordingDuration | undefined;
  /** How many pieces this delivery took up. */
  #begun = 0;

  constructor(to: TranscriptionInput, over: AbortController, context: VoiceContext) {
    this.#to = to;
    this.#over = over;
    this.#context = context;
  }

  get whole(): RecordingDuration | undefined {
    return this.#whole;
  }

  /** Nothing more is to be sent. What was sent is paid for: it is waited for and kept, whatever becomes of the others. */
  fail(why: unknown): void {
    this.#failure ??= { why };
    this.#over.abort(why);
  }

  /** What was heard from the beginning on, to the first piece that was not. */
  fromBeginning(): StoredChunk[] {
    return withoutGap(this.#inOrder());
  }

  async run(): Promise<TranscribedRecording> {
    const { ref, bytes, to, speak, delivery, mostMs = MAX_MS } = this.#to;
    const { from: first = Infinity, until = Infinity } = speak ?? {};
    const known = await this.#context.recordings.listChunks(ref, to);
    for (const piece of known) if (piece.n < first) this.#heard.set(piece.n, piece);
    for await (const event of this.#context.media.decode(bytes, {
      firstChunk: firstMissing(this.#heard),
      maxMs: mostMs,
    })) {
      if (event.type === 'begin') {
        this.#whole = event.length;
        this.#tell();
      }
      if (event.type === 'chunk' && !this.#heard.has(event.n)) {
        while (this.#running.size >= SIDE_BY_SIDE) await Promise.race(this.#running);
        if (this.#failure) break;
        if (event.n >= until || this.#context.time.now() > delivery.deadline - CLOSING_MS) {
          await this.#ended();
          return { kind: 'unfinished' };
        }
        this.#begin(event);
      }
      if (event.type === 'end') {
        await this.#ended();
        return { kind: 'whole', pieces: this.#inOrder(), ms: event.ms, partial: event.partial };
      }
    }
    await this.#ended();
    throw new Error('a recording came to no end');
  }

  #begin(piece: AudioChunk): void {
    const one = this.#hear(piece).finally(() => this.#running.delete(one));
    this.#running.add(one);
  }

  async #hear(piece: AudioChunk): Promise<void> {
    try {
      const isFirst = this.#begun === 0;
      this.#begun += 1;
      const found = await transcribePiece(
        piece,
        this.#to,
        { signal: this.#over.signal, isFirst },
        this.#context,
      );
      this.#heard.set(found.n, found);
      this.#tell();
    } catch (error) {
      this.fail(error);
    }
  }

  /** Resolves once nothing is under way any more. Rejects with what failed. */
  async #ended(): Promise<void> {
    await Promise.all(this.#running);
    if (this.#failure) throw this.#failure.why;
  }

  #tell(): void {
    // What is ending is told of by whoever ends it.
    if (!(this.#failure?.why instanceof TranscriptionStopped))
      this.#to.progress?.(this.#inOrder(), this.#whole);
  }

  #inOrder(): StoredChunk[] {
    return [...this.#heard.values()].toSorted((a, b) => a.n - b.n);
  }
}

/** `isFirstInChannel`: nothing else of the recording is heard by this delivery yet. */
async function transcribePiece(
  piece: AudioChunk,
  { ref, to, speak, delivery, ask, person, stoppable }: TranscriptionInput,
  { signal, isFirst }: { readonly signal: AbortSignal; readonly isFirst: boolean },
  context: VoiceContext,
): Promise<StoredChunk> {
  // Later ones wait here, for a minute at most: to come back, the recording would have to be fetched and decoded again.
  const mayLeave = isFirst && speak === undefined && !delivery.isLast;
  const named = mayLeave ? { ...ask, id: waitIdOf(ref, to) } : ask;
  const limited = { ...context, permits: context.speechPermits };
  const request = new LimitedRequest({ context: limited, delivery, signal, ask: named, mayLeave });
  const own = { to, speak: speak !== undefined, deadline: delivery.deadline };
  const { thread, message, file } = ref;
  const id = [message, file, piece.n, to ?? '', speak ? 'spoken' : ''].join('#');
  if (stoppable) await throwIfEnded(ref, context);
  else if (await context.recordings.isDeleted(ref)) throw new MessageGone();
  const send = () =>
    request.during(context.transcriptionClient.hear(piece.wav, { ...own, ...request.options }));
  const said = await withSpeechBudget({ id, thread, person }, send, context);
  const heard = placed(piece, said);
  await context.recordings.saveChunk(ref, heard, to);
  // Only now: a piece whose words are not kept is heard again, and then its sound must not be in the thread yet.
  speak?.spoken(piece, said.audio);
  return heard;
}

/** What was said in a piece, where it lies in the whole. */
function placed(
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

/** Of pieces in their order, those from the first on that have no gap between them. */
export const withoutGap = (pieces: readonly StoredChunk[]): StoredChunk[] =>
  pieces.filter(({ n }, at) => n === at);

/** The first piece that nobody has listened to. */
function firstMissing(heard: ReadonlyMap<number, unknown>): number {
  let n = 0;
  while (heard.has(n)) n += 1;
  return n;
}
