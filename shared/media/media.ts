import { endFromPending } from './decode/chunk-collector.ts';
import { createPendingBuffer, isEmpty } from './decode/split-at-silence.ts';
import {
  type MediaEvent,
  MediaError,
  type AudioChunk,
  type EncodedSpeech,
  type SpeechFormat,
} from './media-events.ts';
import { decodeWithFfmpeg } from './decode/ffmpeg.ts';
import type { ThreadReply, MediaJob } from './worker-thread/media-job.ts';
import { LimitedThread, type ThreadConfig } from './worker-thread/limited-thread.ts';

/** Sufficient for three hours of any format on a slow machine. */
const TIMEOUT_MS = 60_000;

export type DecodeOptions = {
  /** The first chunk to return, from 0. Earlier ones are decoded and skipped, which takes a second or two. */
  readonly firstChunk?: number | undefined;
  /** Maximum duration to decode, in ms; the rest makes the result `long`. */
  readonly maxMs: number;
};

export type MediaConfig = Omit<ThreadConfig, 'timeoutMs'> & {
  readonly timeoutMs?: number | undefined;
  /** Path of ffmpeg, if installed; used for unsupported formats. */
  readonly ffmpeg?: string | undefined;
};

export type Media = {
  /**
   * Decodes a recording of any supported format into 16 kHz chunks, on demand: decoding stops when the consumer stops.
   * Ends with an `end` event, even when decoding was aborted midway. Throws a MediaError if nothing can be decoded.
   */
  readonly decode: (bytes: Uint8Array, options: DecodeOptions) => AsyncGenerator<MediaEvent>;
  /** Encodes the WAV file of a speech model into a file that people can play. Throws a MediaError if it is not WAV. */
  readonly encodeSpeech: (wav: Uint8Array, format: SpeechFormat) => Promise<EncodedSpeech>;
};

export function createMedia({ timeoutMs = TIMEOUT_MS, ffmpeg, ...config }: MediaConfig): Media {
  const threadConfig = { ...config, timeoutMs };
  return {
    decode: (bytes, options) =>
      ffmpeg === undefined
        ? decodeInThread(threadConfig, bytes, options)
        : withFallback(decodeInThread(threadConfig, bytes, options), () =>
            markLast(
              decodeWithFfmpeg({ path: ffmpeg, ...threadConfig }, bytes, {
                firstChunk: options.firstChunk ?? 0,
                maxMs: options.maxMs,
              }),
            ),
          ),
    encodeSpeech: (wav, format) => encodeInThread(threadConfig, wav, format),
  };
}

async function encodeInThread(
  config: ThreadConfig,
  wav: Uint8Array,
  format: SpeechFormat,
): Promise<EncodedSpeech> {
  const job: MediaJob = { kind: 'encode', bytes: toSharedBytes(wav), format };
  const thread = new LimitedThread<ThreadReply<EncodedSpeech>>(config, job);
  try {
    const next = await thread.next();
    if ('failure' in next) throw new MediaError(next.failure, 'wav');
    if (next.reply.type === 'next') return next.reply.value;
    const { kind, details } =
      next.reply.type === 'failed' ? next.reply : { kind: 'broken' as const, details: 'wav' };
    throw new MediaError(kind, details);
  } finally {
    await thread.end();
  }
}

async function* decodeInThread(
  config: ThreadConfig,
  bytes: Uint8Array,
  { firstChunk = 0, maxMs }: DecodeOptions,
): AsyncGenerator<MediaEvent> {
  // Shared memory, so that a large recording is in memory once.
  const pendingBuffer = createPendingBuffer();
  const job: MediaJob = { kind: 'decode', bytes: toSharedBytes(bytes), firstChunk, maxMs, pendingBuffer };
  const thread = new LimitedThread<ThreadReply<MediaEvent>>(config, job);
  try {
    yield* markLast(readEvents(thread, firstChunk, pendingBuffer));
  } finally {
    await thread.end();
  }
}

/** Yields the thread's events. When the thread fails after some audio, yields its pending audio and a partial end. */
async function* readEvents(
  thread: LimitedThread<ThreadReply<MediaEvent>>,
  firstChunk: number,
  pendingBuffer: SharedArrayBuffer,
): AsyncGenerator<MediaEvent> {
  for (;;) {
    const next = await thread.next();
    if ('failure' in next) {
      await thread.end();
      if (isEmpty(pendingBuffer)) throw new MediaError(next.failure);
      yield* endFromPending(pendingBuffer, firstChunk, next.failure === 'broken' ? 'damaged' : next.failure);
      return;
    }
    const { reply } = next;
    if (reply.type === 'done') return;
    if (reply.type === 'failed') throw new MediaError(reply.kind, reply.details);
    yield reply.value;
  }
}

/** Files that ffmpeg cannot decode either. */
const NOT_RETRIED: ReadonlySet<string> = new Set(['empty', 'page', 'shape', 'large']);

/**
 * Falls back to `other` if `first` fails before any audio. Events before the first chunk are delayed until then. If `other`
 * has no audio either, the failure of `first` says more: that a video has no sound, or which codec it has.
 */
async function* withFallback(
  first: AsyncGenerator<MediaEvent>,
  other: () => AsyncGenerator<MediaEvent>,
): AsyncGenerator<MediaEvent> {
  const delayed: MediaEvent[] = [];
  try {
    for await (const event of first) {
      delayed.push(event);
      if (event.type === 'begin') continue;
      yield* delayed.splice(0);
    }
  } catch (error) {
    if (!(error instanceof MediaError) || NOT_RETRIED.has(error.kind)) throw error;
    try {
      yield* other();
    } catch (failure) {
      throw failure instanceof MediaError && failure.kind === 'broken' ? error : failure;
    }
  }
}

/** Sets `last` on the last chunk: the one before the end event. */
async function* markLast(events: AsyncGenerator<MediaEvent>): AsyncGenerator<MediaEvent> {
  let delayed: AudioChunk | undefined;
  for await (const event of events) {
    if (delayed && (event.type === 'chunk' || event.type === 'end')) {
      yield { ...delayed, last: event.type === 'end' };
      delayed = undefined;
    }
    if (event.type === 'chunk') delayed = event;
    else yield event;
  }
}

function toSharedBytes(bytes: Uint8Array): Uint8Array {
  if (bytes.buffer instanceof SharedArrayBuffer) return bytes;
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}
