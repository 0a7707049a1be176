import type { Attachment, CardFile, CardPart, HearTask, MessageId } from '../../conversation/index.ts';
import { FileRefused } from '../../platforms/platform.ts';
import type { Recording, RecordingRef } from '../../store/index.ts';
import { type Locale, say } from '../../texts/index.ts';
import type { Delivery } from '../ports.ts';
import { explain } from '../sentences.ts';
import { chosen, typed } from '../commands/typed.ts';
import { texts as voice } from '../commands/voice.ts';
import { type Written, writtenCard } from './cards.ts';
import { isLong, transcriptFiles, uploadFiles } from './files.ts';
import { keepShown } from './forget.ts';
import type { Whole } from './listen.ts';
import type { VoiceDeps } from './ports.ts';
import { cardKey, clockOf, toOf } from './recording.ts';
import type { Showing } from './showing.ts';
import { summaryOf } from './summary.ts';
import { textOf, translationOf } from './words.ts';

/** Whether the words of a recording still stand in their thread: where their message is gone, it is written once more. */
export const stands = (
  { card }: Recording,
  { thread }: RecordingRef,
  { stage }: VoiceDeps,
): Promise<boolean> =>
  stage.link(thread, card).then(
    () => true,
    () => false,
  );

export type Finishing = {
  readonly task: HearTask;
  readonly recording: Attachment;
  readonly ref: RecordingRef;
  readonly shown: Showing;
  readonly delivery: Delivery;
  readonly locale: Locale;
  /** Said of its end, where a person stopped it. */
  readonly ended?: CardPart | undefined;
};

/** Shows a recording that was heard, its files with it, and keeps what is known of the whole. */
export async function finish(
  { pieces, ms, partial }: Omit<Whole, 'kind'>,
  work: Finishing,
  deps: VoiceDeps,
): Promise<{ readonly text: string }> {
  const { task, recording, ref, locale, ended } = work;
  const [to, by] = [toOf(task), task.asker];
  const text = textOf(pieces);
  const notes: string[] = [];
  // Whoever stops it wants no more of it.
  const summary = ended ? undefined : await summed(text, ms, work, notes, deps);
  const files = isLong(ms) && text !== '' ? transcriptFiles(pieces, recording.name, locale) : [];
  const hint = await firstHint(work, deps);
  if (hint !== undefined) notes.push(hint);
  const written = { ref, by, pieces, ms, partial, ended, to, summary, notes };
  const { card, beside } = await showWith(files, written, work, deps);
  if (!(await keepShown(ref, [card, ...beside], deps))) return { text };
  await deps.recordings.finish(ref, { by, ms, pieces: pieces.length, partial, card, source: recording });
  deps.log('voice.written', { ms, pieces: pieces.length, partial, translated: to !== undefined });
  return { text: to === undefined ? text : `${text}\n(${translationOf(pieces)})` };
}

/** Shows the card with its files; where those cannot stand on it, they are put beside it, and where not even that, it says so. */
async function showWith(
  files: readonly CardFile[],
  written: Written,
  { task, recording, shown, locale }: Finishing,
  deps: VoiceDeps,
): Promise<{ readonly card: MessageId; readonly beside: readonly MessageId[] }> {
  try {
    return { card: await shown.last(writtenCard({ ...written, files }, locale)), beside: [] };
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error;
  }
  const { messages, all } = await uploadFiles(task.thread, files, cardKey(task, recording), deps);
  const notes = [...(written.notes ?? []), ...(all ? [] : [say(locale, 'voice.no-files')])];
  return { card: await shown.last(writtenCard({ ...written, notes }, locale)), beside: messages };
}

/** A summary that cannot be had now is waited for; one that cannot be had at all is noted. */
async function summed(
  text: string,
  ms: number,
  work: Finishing,
  notes: string[],
  deps: VoiceDeps,
): Promise<string | undefined> {
  try {
    return await summaryOf(text, ms, work, deps);
  } catch (error) {
    const failure = explain(error, clockOf(deps, work.locale));
    if (!failure || (failure.retryAfterMs !== undefined && !work.delivery.last)) throw error;
    notes.push(say(work.locale, 'voice.no-summary', { why: failure.sentence }));
    return undefined;
  }
}

/** The first time in a channel it is said what happens here, and how to stop it. */
async function firstHint({ task, ref, locale }: Finishing, deps: VoiceDeps): Promise<string | undefined> {
  if (task.wish.kind !== 'show' || task.wish.first !== true) return undefined;
  const where = { platform: task.thread.platform, locale };
  const optout = chosen(voice['do.name'], 'optout', where, voice['do=optout']);
  const command = typed(voice.name, where, deps.settings, optout);
  return (await deps.recordings.isFirst(ref)) ? say(locale, 'voice.first', { command }) : undefined;
}
