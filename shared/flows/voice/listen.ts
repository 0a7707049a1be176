import type { UserId } from '../../conversation/index.ts';
import type { Length, Piece } from '../../media/index.ts';
import type { HeardPiece, RecordingRef } from '../../store/index.ts';
import type { Delivery, SlotAsk } from '../ports.ts';
import { LimitedRequest } from '../request.ts';
import { paidFor } from './account.ts';
import { MessageGone } from './forget.ts';
import type { Said, VoiceDeps } from './ports.ts';

/** Requests of one recording at a time. */
const SIDE_BY_SIDE = 3;
/** How much of a recording is listened to: what a function has the time for. */
export const MOST_MS = 2 * 60 * 60_000;
/** What a delivery keeps back of its time, to show how far it came. */
const CLOSING_MS = 20_000;

export type ListenTo = {
  readonly ref: RecordingRef;
  readonly bytes: Uint8Array;
  /** Into this language too. */
  readonly to?: string | undefined;
  /** Wants the translation of these pieces spoken; those before them were, and those behind them are left. */
  readonly speak?: Speaking | undefined;
  /** Told when it begins, and of what is heard so far, in order; of how much, as far as the file tells. */
  readonly progress?: ((heard: readonly HeardPiece[], whole: Length | undefined) => void) | undefined;
  /** Whose requests these are, and who waits for them. */
  readonly ask: Omit<SlotAsk, 'maxWaitMs'>;
  /** Who pays for them. */
  readonly person: UserId;
  readonly delivery: Delivery;
};

export type Speaking = {
  readonly from: number;
  /** The first that is left. */
  readonly until: number;
  readonly spoken: (piece: Piece, wavs: readonly Uint8Array[]) => void;
};

export type Whole = {
  readonly kind: 'whole';
  readonly pieces: readonly HeardPiece[];
  readonly ms: number;
  readonly partial?: string | undefined;
};

export type Listened =
  | Whole
  /** There was no time for the rest, or it is left; what was heard is kept. */
  | { readonly kind: 'unfinished' };

/**
 * Listens to a recording piece by piece, a few at a time, and keeps each piece as soon as it is heard: another delivery
 * goes on where this one stopped. Rejects with the MediaError of the recording, the upstream's errors, or NoSlot.
 */
export async function listen(to: ListenTo, deps: VoiceDeps): Promise<Listened> {
  const { ref, bytes, delivery } = to;
  const { from: first = Infinity, until = Infinity } = to.speak ?? {};
  const known = (await deps.recordings.pieces(ref, to.to)).filter(({ n }) => n < first);
  // What was sent is paid for: it is waited for and kept, whatever becomes of the others.
  const heard = new Map(known.map((piece) => [piece.n, piece]));
  const inOrder = (): HeardPiece[] => [...heard.values()].toSorted((a, b) => a.n - b.n);
  const over = new AbortController();
  const running = new Set<Promise<void>>();
  let failure: unknown;
  let whole: Length | undefined;
  const hearOne = async (piece: Piece): Promise<void> => {
    try {
      const found = await hear(piece, to, over.signal, deps);
      heard.set(found.n, found);
      to.progress?.(inOrder(), whole);
    } catch (error) {
      failure ??= error;
      over.abort(error);
    }
  };
  const begin = (piece: Piece): void => {
    const one = hearOne(piece).finally(() => running.delete(one));
    running.add(one);
  };
  for await (const event of deps.media.listen(bytes, { from: firstMissing(heard), mostMs: MOST_MS })) {
    if (event.type === 'begin') {
      whole = event.length;
      to.progress?.(inOrder(), whole);
    }
    if (event.type === 'piece' && !heard.has(event.n)) {
      while (running.size >= SIDE_BY_SIDE) await Promise.race(running);
      if (failure !== undefined) break;
      if (event.n >= until || deps.time.now() > delivery.deadline - CLOSING_MS) {
        await Promise.all(running);
        if (failure !== undefined) throw failure;
        return { kind: 'unfinished' };
      }
      begin(event);
    }
    if (event.type === 'end') {
      await Promise.all(running);
      if (failure !== undefined) throw failure;
      return { kind: 'whole', pieces: inOrder(), ms: event.ms, partial: event.partial };
    }
  }
  await Promise.all(running);
  throw failure ?? new Error('a recording came to no end');
}

async function hear(
  piece: Piece,
  { ref, to, speak, delivery, ask, person }: ListenTo,
  signal: AbortSignal,
  deps: VoiceDeps,
): Promise<HeardPiece> {
  const request = new LimitedRequest({ deps, delivery, signal, ask });
  const own = { to, speak: speak !== undefined, deadline: delivery.deadline };
  const { thread, message, file } = ref;
  const id = [message, file, piece.n, to ?? '', speak ? 'spoken' : ''].join('#');
  if (await deps.recordings.isGone(ref)) throw new MessageGone();
  const send = () => request.during(deps.ears.hear(piece.wav, { ...own, ...request.options }));
  const said = await paidFor({ id, thread, person }, send, deps.spending);
  speak?.spoken(piece, said.audio);
  const heard = placed(piece, said);
  await deps.recordings.keepPiece(ref, heard, to);
  return heard;
}

/** What was said in a piece, where it lies in the whole. */
function placed({ n, fromMs, toMs }: Piece, { text, words, translation, language }: Said): HeardPiece {
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

/** The first piece that nobody has listened to. */
function firstMissing(heard: ReadonlyMap<number, unknown>): number {
  let n = 0;
  while (heard.has(n)) n += 1;
  return n;
}
