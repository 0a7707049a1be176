import { type HearTask, recordingName } from '../../conversation/index.ts';
import type { HeardPiece, Recording, RecordingRef } from '../../store/index.ts';
import { localeOf, say } from '../../texts/index.ts';
import type { Delivery, Verdict } from '../ports.ts';
import { failedCard, failureOf, translatedCard } from './cards.ts';
import { MessageGone } from './forget.ts';
import { listen } from './listen.ts';
import { comeAgain, mayWait, waitOf } from './onward.ts';
import type { VoiceDeps } from './ports.ts';
import { asksFor, clockOf, MOST_BYTES, turnOf, wanting } from './recording.ts';
import { isTheirs } from './refusal.ts';
import { speak } from './speak.ts';
import { STOPPED } from './stop.ts';
import { tell, type Wish } from './tell.ts';

/** One recording in a language, for who asked alone. Translated and spoken once for each language. */
export async function translate(
  task: HearTask,
  wish: Wish,
  deps: VoiceDeps,
  delivery: Delivery,
): Promise<Verdict> {
  const locale = localeOf(task.locale);
  const [recording] = task.recordings;
  if (!recording) return { kind: 'done' };
  const ref = { thread: task.thread, message: task.message, file: recordingName(recording) };
  try {
    const whole = await deps.recordings.find(ref);
    const pieces = wish.speak ? undefined : await known(whole, ref, wish.to, deps);
    if (pieces) return await tell(wish, translatedCard(pieces, wish.to, ref, locale), deps);
    if (await isTheirs(task, whole?.by, deps))
      return await tell(wish, failedCard(say(locale, 'voice.theirs')), deps);
    if (wish.speak) return await speak(task, wish, deps, delivery);
    const bytes = await deps.platform.file(turnOf(task), recording, MOST_BYTES);
    // Of one that was stopped, what its words are there of.
    const mostMs = whole?.partial === STOPPED ? whole.ms : undefined;
    const listened = await listen(
      { ref, bytes, to: wish.to, delivery, ask: asksFor(task), person: wanting(task), mostMs },
      deps,
    );
    if (listened.kind !== 'whole') return await comeAgain(task, 1_000, delivery, deps);
    return await tell(wish, translatedCard(listened.pieces, wish.to, ref, locale), deps);
  } catch (error) {
    if (error instanceof MessageGone) return { kind: 'done' };
    const wait = waitOf(error, clockOf(deps, locale));
    if (wait && (await mayWait(task, delivery, deps))) return comeAgain(task, wait.ms, delivery, deps);
    const sentence = failureOf(error, 0, clockOf(deps, locale));
    if (sentence === undefined) throw error;
    return tell(wish, failedCard(sentence), deps);
  }
}

/** The whole translation, if it was made before. */
async function known(
  whole: Recording | undefined,
  ref: RecordingRef,
  to: string,
  { recordings }: VoiceDeps,
): Promise<HeardPiece[] | undefined> {
  const pieces = await recordings.pieces(ref, to);
  return pieces.length > 0 && pieces.length === whole?.pieces ? pieces : undefined;
}
