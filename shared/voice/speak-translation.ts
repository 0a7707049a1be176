import { type TranscriptionTask, type MessageId, recordingKey } from '../domain/index.ts';
import type { AudioChunk } from '../media/index.ts';
import { toLocale, localize } from '../i18n/index.ts';
import { formatPosition } from '../transcript/index.ts';
import { enqueueTranscription } from './auto-transcribe.ts';
import type { SpeechProgress, SpeechRequest } from '../storage/index.ts';
import type { QueueDelivery, TaskResult } from '../context/ports.ts';
import { translatedCard } from './cards.ts';
import { keepShown } from './transcription/forget.ts';
import { getLanguageName } from '../i18n/translation-languages.ts';
import { transcribePieces, type WholeRecording } from './transcription/transcribe-pieces.ts';
import type { VoiceContext } from './ports.ts';
import { asksFor, MAX_BYTES, turnOf, wanting } from './transcription/task-fields.ts';
import { replyToRequester, type RequesterReply } from './reply-to-requester.ts';

/** Pieces that are put into the thread as one file: of four to six minutes. */
const TOGETHER = 12;
/** What a delivery keeps back of its time, to put together and upload what was spoken. */
const CLOSING_MS = 90_000;

type Spoken = { readonly piece: AudioChunk; readonly wavs: readonly Uint8Array[] };
type Speaking = {
  /** The first piece of this task, and before which it ends. */
  readonly from: number;
  readonly until: number;
  /** How far the task is before it begins. */
  readonly progress: SpeechProgress;
  readonly task: TranscriptionTask;
  readonly wish: RequesterReply;
  readonly context: VoiceContext;
  readonly delivery: QueueDelivery;
};

/**
 * Speaks a recording in a language, into its thread, some minutes at a time: a file each, and a task each. Sound is kept
 * nowhere, so what was spoken goes to people at once, whatever ends the work: a limit or the end of the time goes on
 * behind it, and a crash costs no more than the file it came in. How far it is spoken is kept before and after each upload:
 * a delivery that follows a crash goes on behind the last file, also where nobody noted any more that it is in the thread.
 * What is spoken already is linked to. Rejects as `listen` does.
 */
export async function speakTranslation(
  task: TranscriptionTask,
  wish: RequesterReply,
  context: VoiceContext,
  delivery: QueueDelivery,
): Promise<TaskResult> {
  const from = wish.from ?? 0;
  const progress = await confirmUpload(task, wish, context);
  if (progress.next > from) return enqueueRest(progress, task, wish, context);
  // A file that was begun with holds the same pieces again, and so has the same key.
  const until = progress.uploading?.until ?? from + TOGETHER;
  const work = { from, until, progress, task, wish, context, delivery };
  const known = from === 0 ? await linkOf(work) : undefined;
  if (known !== undefined) {
    const markdown = localize(toLocale(task.locale), 'voice.spoken-already', { link: known });
    return replyToRequester(wish, { parts: [{ kind: 'text', markdown }] }, context);
  }
  const spoken = new Map<number, Spoken>();
  const ended = await listenFor(spoken, work).catch((error: unknown) => ({ kind: 'failed' as const, error }));
  const ready = inARow(spoken, from);
  const whole = ended.kind === 'whole';
  const done = ready.length > 0 ? await uploadSpeech(ready, whole && from === 0, work) : progress;
  if (whole) return end(ended, done.spokenAt, work);
  // A failure is met again by the task that goes on, which then has nothing else to tell of.
  if (ready.length === 0 && ended.kind === 'failed') throw ended.error;
  if (ready.length === 0) return { kind: 'later', afterMs: 1_000 };
  return enqueueRest(done, task, wish, context);
}

/**
 * How far it is spoken. A file of which it was not noted any more that it is in the thread is looked for there: found, it
 * counts; else its pieces are still to be spoken.
 */
async function confirmUpload(
  task: TranscriptionTask,
  wish: RequesterReply,
  context: VoiceContext,
): Promise<SpeechProgress> {
  const ref = refOf(task);
  const begun: SpeechProgress = { next: wish.from ?? 0, spokenAt: wish.spokenAt };
  const kept = await context.recordings.findSpeechProgress(ref, wishOf(wish));
  const progress = kept && kept.next >= begun.next ? kept : begun;
  const { uploading } = progress;
  if (!uploading) return progress;
  const [found] = await context.messenger.findUploads(task.thread, uploading.name, uploading.key);
  return found === undefined
    ? progress
    : noteUploaded(found, uploading.until, progress, { task, wish, context });
}

/** Has what is not spoken yet done by a task of its own: once, however often it is asked for. */
async function enqueueRest(
  { next, spokenAt }: SpeechProgress,
  task: TranscriptionTask,
  wish: RequesterReply,
  context: VoiceContext,
): Promise<TaskResult> {
  const rest = { ...task, heard: next, wish: { ...wish, from: next, spokenAt } };
  await enqueueTranscription(rest, `spoken#${wish.invocation.id}#${next}`, context.recordingsQueue);
  return { kind: 'done' };
}

const wishOf = ({ to, invocation }: RequesterReply): SpeechRequest => ({ to, call: invocation.id });

async function listenFor(spoken: Map<number, Spoken>, work: Speaking) {
  const { from, until, task, wish, context, delivery } = work;
  const [recording] = task.recordings;
  if (!recording) throw new Error('nothing to speak');
  return transcribePieces(
    {
      ref: refOf(task),
      bytes: await context.platform.downloadFile(turnOf(task), recording, MAX_BYTES),
      to: wish.to,
      speak: {
        from,
        until,
        spoken: (piece, wavs) => void spoken.set(piece.n, { piece, wavs }),
      },
      delivery: { ...delivery, deadline: delivery.deadline - CLOSING_MS },
      ask: asksFor(task),
      person: wanting(task),
    },
    context,
  );
}

const refOf = ({ thread, message, recordings: [recording] }: TranscriptionTask) => ({
  thread,
  message,
  file: recording ? recordingKey(recording) : '',
});

/** What is there without a gap, from the first on. */
function inARow(spoken: ReadonlyMap<number, Spoken>, from: number): Spoken[] {
  const row: Spoken[] = [];
  for (let next = spoken.get(from); next; next = spoken.get(from + row.length)) row.push(next);
  return row;
}

/** Where this recording is spoken in this language, if that still stands. */
async function linkOf({ task, wish, context }: Speaking): Promise<string | undefined> {
  const at = await context.recordings.findSpoken(refOf(task), wish.to);
  return at && context.messenger.getPermalink(task.thread, at).catch(() => undefined);
}

/** Puts the sound of some pieces into the thread, once for the same. Resolves with how far it is spoken then. */
async function uploadSpeech(
  ready: readonly Spoken[],
  alone: boolean,
  work: Speaking,
): Promise<SpeechProgress> {
  const { progress, from, task, wish, context } = work;
  const ref = refOf(task);
  const until = from + ready.length;
  const wavs = ready.flatMap((one) => one.wavs);
  const [first, last] = [ready.at(0)?.piece, ready.at(-1)?.piece];
  // Nothing was said there.
  if (!first || !last || wavs.length === 0) return noteUploaded(undefined, until, progress, work);
  const locale = toLocale(task.locale);
  const language = getLanguageName(locale, wish.to);
  const part = { language, from: formatPosition(first.fromMs), until: formatPosition(last.toMs) };
  const words = alone
    ? localize(locale, 'voice.spoken', { language })
    : localize(locale, 'voice.spoken-part', part);
  const which = `${wish.invocation.id}#${first.n}#${last.n}`;
  const file = await context.voice(wavs, task.thread.platform, words);
  const key = `voice#${ref.message}#${ref.file}#${wish.to}#${which}`;
  await context.recordings.saveSpeechProgress(ref, wishOf(wish), {
    ...progress,
    uploading: { until, key, name: file.name },
  });
  return noteUploaded(await context.messenger.upload(task.thread, file, key), until, progress, work);
}

/** Notes that all before piece `until` is spoken; `at` is the message with its last file, if words were spoken there. */
async function noteUploaded(
  at: MessageId | undefined,
  until: number,
  before: SpeechProgress,
  { task, wish, context }: Pick<Speaking, 'task' | 'wish' | 'context'>,
): Promise<SpeechProgress> {
  const ref = refOf(task);
  const stands = at !== undefined && (await keepShown(ref, [at], context));
  const progress = { next: until, spokenAt: before.spokenAt ?? (stands ? at : undefined) };
  await context.recordings.saveSpeechProgress(ref, wishOf(wish), progress);
  return progress;
}

/** Shown again where it is spoken: the button stood below it, and what it answered took its place. */
async function end(
  { pieces }: WholeRecording,
  at: MessageId | undefined,
  { task, wish, context }: Speaking,
): Promise<TaskResult> {
  const ref = refOf(task);
  const verdict = await replyToRequester(
    wish,
    translatedCard(pieces, wish.to, ref, toLocale(task.locale)),
    context,
  );
  if (at !== undefined) await context.recordings.saveSpoken(ref, wish.to, at);
  return verdict;
}
