import { type Card, type HearTask, recordingName } from '../../conversation/index.ts';
import type { HeardPiece, RecordingRef } from '../../store/index.ts';
import { localeOf, say } from '../../texts/index.ts';
import type { Delivery, Verdict } from '../ports.ts';
import { explain } from '../sentences.ts';
import { failedCard, failureOf, translatedCard } from './cards.ts';
import { languageIn } from './languages.ts';
import { keepShown } from './forget.ts';
import { listen } from './listen.ts';
import type { VoiceDeps } from './ports.ts';
import { asksFor, clockOf, MOST_BYTES, turnOf, wanting } from './recording.ts';

type Wish = Extract<HearTask['wish'], { kind: 'translate' }>;

/** One recording in a language, for who asked alone. Translated once for each language; spoken each time it is asked for. */
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
    const pieces = wish.speak ? undefined : await known(ref, wish.to, deps);
    if (pieces) return await tell(wish, translatedCard(pieces, wish.to, ref, locale), deps);
    const spoken: Uint8Array[][] = [];
    const bytes = await deps.platform.file(turnOf(task), recording, MOST_BYTES);
    const speak = wish.speak
      ? (n: number, wavs: readonly Uint8Array[]) => void (spoken[n] = [...wavs])
      : undefined;
    const listened = await listen(
      { ref, bytes, to: wish.to, speak, delivery, ask: asksFor(task), person: wanting(task) },
      deps,
    );
    if (listened.kind === 'unfinished') return { kind: 'later', afterMs: 1_000 };
    // Shown again where it is spoken: the button stood below it, and what it answered took its place.
    const shown = translatedCard(listened.pieces, wish.to, ref, locale);
    if (!wish.speak) return await tell(wish, shown, deps);
    const words = say(locale, 'voice.spoken', { language: languageIn(locale, wish.to) });
    const key = `voice#${ref.message}#${ref.file}#${wish.to}#${wish.invocation.id}`;
    const file = await deps.voice(spoken.flat(), task.thread.platform, words);
    await keepShown(ref, [await deps.stage.upload(task.thread, file, key)], deps);
    return await tell(wish, shown, deps);
  } catch (error) {
    const retryAfterMs = delivery.last ? undefined : explain(error, clockOf(deps, locale))?.retryAfterMs;
    if (retryAfterMs !== undefined) return { kind: 'later', afterMs: retryAfterMs };
    const sentence = failureOf(error, 0, clockOf(deps, locale));
    if (sentence === undefined) throw error;
    return tell(wish, failedCard(sentence), deps);
  }
}

/** The whole translation, if it was made before. */
async function known(
  ref: RecordingRef,
  to: string,
  { recordings }: VoiceDeps,
): Promise<HeardPiece[] | undefined> {
  const [whole, pieces] = await Promise.all([recordings.find(ref), recordings.pieces(ref, to)]);
  return whole && pieces.length > 0 && pieces.length === whole.pieces ? pieces : undefined;
}

/** A ticket that is dead by now is logged: who asked has gone on. */
export async function tell({ invocation }: Wish, card: Card, { stage, log }: VoiceDeps): Promise<Verdict> {
  await stage.respond(invocation, card).catch((error: unknown) => {
    log('voice.unheard', { error: error instanceof Error ? error.name : 'unknown' });
  });
  return { kind: 'done' };
}
