import type { UserId } from '../../domain/index.ts';
import type { RecordingRef, Recordings, RecordingSignal } from '../../storage/index.ts';
import type { Time } from '../../runtime/index.ts';
import { MessageDeletedError } from './forget.ts';

/** The `partial` value of a recording that a person stopped; see `StoredRecording`. */
export const STOPPED = 'stopped';

/** Interval of the signal check while chunks wait or are transcribed. Each check costs half a read unit. */
const POLL_INTERVAL_MS = 5_000;

/** A person stopped the transcription. */
export class TranscriptionStoppedError extends Error {
  override readonly name = 'TranscriptionStoppedError';
  readonly by: UserId;

  constructor(by: UserId) {
    super('a person stopped the transcription');
    this.by = by;
  }
}

type SignalContext = { readonly recordings: Pick<Recordings, 'readSignal'>; readonly time: Time };

/** Throws TranscriptionStoppedError or MessageDeletedError if nothing more of the recording may be sent. */
export async function throwIfEnded(
  ref: RecordingRef,
  { recordings }: Pick<SignalContext, 'recordings'>,
): Promise<void> {
  throwForSignal(await recordings.readSignal(ref));
}

function throwForSignal({ isDeleted, stoppedBy }: RecordingSignal): void {
  if (isDeleted) throw new MessageDeletedError();
  if (stoppedBy !== undefined) throw new TranscriptionStoppedError(stoppedBy);
}

/** Polls whether the recording is stopped or deleted, until `finished` is aborted. Calls `onEnd` at most once, with the error. Never rejects. */
export async function watchForEnd(
  ref: RecordingRef,
  { recordings, time }: SignalContext,
  finished: AbortSignal,
  onEnd: (error: unknown) => void,
): Promise<void> {
  for (;;) {
    try {
      await time.sleep(POLL_INTERVAL_MS, finished);
    } catch {
      return;
    }
    const signal = await recordings.readSignal(ref).catch(() => undefined);
    if (!signal || finished.aborted) continue;
    try {
      throwForSignal(signal);
    } catch (error) {
      onEnd(error);
      return;
    }
  }
}
