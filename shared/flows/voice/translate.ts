import { type Card, type HearTask, recordingName } from '../../conversation/index.ts';
import type { HeardPiece, Recording, RecordingRef } from '../../store/index.ts';
import { localeOf, say } from '../../texts/index.ts';
import type { Delivery, Verdict } from '../ports.ts';
import { explain } from '../sentences.ts';
import { failedCard, failureOf, translatedCard } from './cards.ts';
import { languageIn } from './languages.ts';
import { keepShown, MessageGone } from './forget.ts';
import { listen } from './listen.ts';
import { comeAgain, mayWait } from './onward.ts';
import type { VoiceDeps } from './ports.ts';
import { asksFor, clockOf, MOST_BYTES, turnOf, wanting } from './recording.ts';
import { isTheirs } from './refusal.ts';

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
    const whole = await deps.recordings.find(ref);
    const pieces = wish.speak ? undefined : await known(whole, ref, wish.to, deps);
    if (pieces) return await tell(wish, translatedCard(pieces, wish.to, ref, locale), deps);
    if (await isTheirs(task, whole?.by, deps))
      return await tell(wish, failedCard(say(locale, 'voice.theirs')), deps);
    const spoken: Uint8Array[][] = [];
    const bytes = await deps.platform.file(turnOf(task), recording, MOST_BYTES);
    const speak = wish.speak
      ? (n: number, wavs: readonly Uint8Array[]) => void (spoken[n] = [...wavs])
      : undefined;
    const listened = await listen(
      { ref, bytes, to: wish.to, speak, delivery, ask: asksFor(task), person: wanting(task) },
      deps,
    );
    if (listened.kind === 'unfinished') return await comeAgain(task, 1_000, delivery, deps);
    // Shown again where it is spoken: the button stood below it, and what it answered took its place.
    const shown = translatedCard(listened.pieces, wish.to, ref, locale);
    if (!wish.speak) return await tell(wish, shown, deps);
    const words = say(locale, 'voice.spoken', { language: languageIn(locale, wish.to) });
    const key = `voice#${ref.message}#${ref.file}#${wish.to}#${wish.invocation.id}`;
    const file = await deps.voice(spoken.flat(), task.thread.platform, words);
    await keepShown(ref, [await deps.stage.upload(task.thread, file, key)], deps);
    return await tell(wish, shown, deps);
  } catch (error) {
    if (error instanceof MessageGone) return { kind: 'done' };
    const retryAfterMs = explain(error, clockOf(deps, locale))?.retryAfterMs;
    if (retryAfterMs !== undefined && (await mayWait(task, delivery, deps)))
      return comeAgain(task, retryAfterMs, delivery, deps);
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

/** A ticket that is dead by now is logged: who asked has gone on. */
export async function tell(
  { invocation }: Wish,
  card: Card,
  { stage, log }: Pick<VoiceDeps, 'stage' | 'log'>,
): Promise<Verdict> {
  await stage.respond(invocation, card).catch((error: unknown) => {
    log('voice.unheard', { error: error instanceof Error ? error.name : 'unknown' });
  });
  return { kind: 'done' };
}
