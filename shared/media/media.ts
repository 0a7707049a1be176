import { endOf } from './thread/collect.ts';
import { newHold, nothingIn } from './decode/cut.ts';
import { type MediaEvent, MediaError, type Piece, type Spoken, type SpokenAs } from './thread/events.ts';
import { listenByFfmpeg } from './decode/ffmpeg.ts';
import type { Answer, Job } from './thread/job.ts';
import { Thread, type ThreadConfig } from './thread/thread.ts';

/** Long enough for three hours of anything on a slow machine. */
const TIMEOUT_MS = 60_000;

export type ListenOptions = {
  /** The first piece wanted, from 0. Those before it are decoded and passed over, which takes a second or two. */
  readonly from?: number | undefined;
  /** How much of the recording is decoded, in ms; the rest makes it `long`. */
  readonly mostMs: number;
};

export type MediaConfig = Omit<ThreadConfig, 'patienceMs'> & {
  readonly patienceMs?: number | undefined;
  /** Where ffmpeg lies, if there is one: it is asked for what is not decoded here. */
  readonly ffmpeg?: string | undefined;
};

export type Media = {
  /**
   * Decodes a recording of any kind that we know into pieces of 16 kHz, as they are taken: whoever stops taking them
   * stops the decoding. Ends with `end`, also if it had to be given up midway. Throws a MediaError if nothing at all
   * can be heard of it.
   */
  readonly listen: (bytes: Uint8Array, options: ListenOptions) => AsyncGenerator<MediaEvent>;
  /** Makes a file that people can play out of the WAV that a model spoke. Throws a MediaError if that is no WAV. */
  readonly speak: (wav: Uint8Array, as: SpokenAs) => Promise<Spoken>;
};

export function media({ patienceMs = TIMEOUT_MS, ffmpeg, ...config }: MediaConfig): Media {
  const own = { ...config, patienceMs };
  return {
    listen: (bytes, options) =>
      ffmpeg === undefined
        ? heard(own, bytes, options)
        : orElse(heard(own, bytes, options), () =>
            lastMarked(
              listenByFfmpeg({ path: ffmpeg, ...own }, bytes, {
                from: options.from ?? 0,
                mostMs: options.mostMs,
              }),
            ),
          ),
    speak: (wav, as) => spoken(own, wav, as),
  };
}

async function spoken(config: ThreadConfig, wav: Uint8Array, as: SpokenAs): Promise<Spoken> {
  const job: Job = { kind: 'speak', bytes: shared(wav), as };
  const thread = new Thread<Answer<Spoken>>(config, job);
  try {
    const next = await thread.ask();
    if ('ended' in next) throw new MediaError(next.ended, 'wav');
    if (next.answer.type === 'next') return next.answer.value;
    const { kind, what } =
      next.answer.type === 'failed' ? next.answer : { kind: 'broken' as const, what: 'wav' };
    throw new MediaError(kind, what);
  } finally {
    await thread.end();
  }
}

async function* heard(
  config: ThreadConfig,
  bytes: Uint8Array,
  { from = 0, mostMs }: ListenOptions,
): AsyncGenerator<MediaEvent> {
  // Shared, so that a large recording is in memory once.
  const hold = newHold();
  const job: Job = { kind: 'listen', bytes: shared(bytes), from, mostMs, hold };
  const thread = new Thread<Answer<MediaEvent>>(config, job);
  try {
    yield* lastMarked(told(thread, from, hold));
  } finally {
    await thread.end();
  }
}

/** What the thread tells; where it was given up after some sound, the sound it had decoded, and an end that says so. */
async function* told(
  thread: Thread<Answer<MediaEvent>>,
  from: number,
  hold: SharedArrayBuffer,
): AsyncGenerator<MediaEvent> {
  for (;;) {
    const next = await thread.ask();
    if ('ended' in next) {
      await thread.end();
      if (nothingIn(hold)) throw new MediaError(next.ended);
      yield* endOf(hold, from, next.ended === 'broken' ? 'damaged' : next.ended);
      return;
    }
    const { answer } = next;
    if (answer.type === 'done') return;
    if (answer.type === 'failed') throw new MediaError(answer.kind, answer.what);
    yield answer.value;
  }
}

/** What is no recording at all, or none that anybody could decode. */
const HOPELESS: ReadonlySet<string> = new Set(['empty', 'page', 'shape', 'large']);

/** The first way, or the other one if nothing can be heard in the first. What comes before the first piece waits for it. */
async function* orElse(
  first: AsyncGenerator<MediaEvent>,
  other: () => AsyncGenerator<MediaEvent>,
): AsyncGenerator<MediaEvent> {
  const held: MediaEvent[] = [];
  try {
    for await (const event of first) {
      held.push(event);
      if (event.type === 'begin') continue;
      yield* held.splice(0);
    }
  } catch (error) {
    if (!(error instanceof MediaError) || HOPELESS.has(error.kind)) throw error;
    yield* other();
  }
}

/** A piece is the last one if the end comes before another piece does. */
async function* lastMarked(events: AsyncGenerator<MediaEvent>): AsyncGenerator<MediaEvent> {
  let held: Piece | undefined;
  for await (const event of events) {
    if (held && (event.type === 'piece' || event.type === 'end')) {
      yield { ...held, last: event.type === 'end' };
      held = undefined;
    }
    if (event.type === 'piece') held = event;
    else yield event;
  }
}

function shared(bytes: Uint8Array): Uint8Array {
  if (bytes.buffer instanceof SharedArrayBuffer) return bytes;
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}
