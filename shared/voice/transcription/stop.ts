import type { UserId } from '../../domain/index.ts';
import type { RecordingRef, Recordings, RecordingSignal } from '../../storage/index.ts';
import type { Time } from '../../runtime/time.ts';
import { MessageGone } from './forget.ts';

/** Why a recording that a person stopped is partial; see `StoredRecording`. */
export const STOPPED = 'stopped';

/** While a piece waits for its turn, or is heard, nothing else looks. Costs half a read unit. */
const POLL_INTERVAL_MS = 5_000;

/** Somebody wants no more of a recording written out. */
export class TranscriptionStopped extends Error {
  override readonly name = 'Stopped';
  readonly by: UserId;

  constructor(by: UserId) {
    super('a person stopped it');
    this.by = by;
  }
}

type SignalContext = { readonly recordings: Pick<Recordings, 'readSignal'>; readonly time: Time };

/** Throws Stopped or MessageGone where nothing more of a recording is to be sent. */
export async function throwIfEnded(
  ref: RecordingRef,
  { recordings }: Pick<SignalContext, 'recordings'>,
): Promise<void> {
  throwForSignal(await recordings.readSignal(ref));
}

function throwForSignal({ isDeleted: gone, stoppedBy }: RecordingSignal): void {
  if (gone) throw new MessageGone();
  if (stoppedBy !== undefined) throw new TranscriptionStopped(stoppedBy);
}

/** Looks now and then whether a recording is stopped or gone, until `over`; then `end` is told why, once. Never rejects. */
export async function watchForEnd(
  ref: RecordingRef,
  { recordings, time }: SignalContext,
  over: AbortSignal,
  end: (why: unknown) => void,
): Promise<void> {
  for (;;) {
    try {
      await time.sleep(POLL_INTERVAL_MS, over);
    } catch {
      return;
    }
    const signal = await recordings.readSignal(ref).catch(() => undefined);
    if (!signal || over.aborted) continue;
    try {
      throwForSignal(signal);
    } catch (why) {
      end(why);
      return;
    }
  }
}
