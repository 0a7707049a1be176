import { type Attachment, type TranscriptionTask, recordingKey, type UserId } from '../../domain/index.ts';
import type { RecordingDuration } from '../../media/index.ts';
import { resolve } from '../../settings/rules/index.ts';
import { toLocale, localize } from '../../i18n/index.ts';
import { CannotPostError, ThreadDeletedError } from '../../platforms/ports/platform.ts';
import type { QueueDelivery, TaskResult } from '../../context/ports.ts';
import { settingsPlaceOfTurn } from '../../settings/load-settings.ts';
import { instructionsAt } from '../../settings/system-prompt.ts';
import { resolveLocale } from '../../settings/resolve-locale.ts';
import { askWithTranscript, type TranscribedAttachment, refuse } from '../ask-with-transcript.ts';
import { failedCard, failureOf } from '../cards.ts';
import { publishTranscript, type PublishOptions, isPublished } from './publish-transcript.ts';
import { forgetMessage, isErased, keepShown, MessageGone } from './forget.ts';
import { transcribePieces, MAX_MS, type WholeRecording, withoutGap } from './transcribe-pieces.ts';
import { requeueLater, canWait, waitMs } from './requeue.ts';
import type { VoiceContext } from '../ports.ts';
import { asksFor, cardKey, clockOf, MAX_BYTES, toOf, turnOf, waitIdOf, wanting } from './task-fields.ts';
import { QueuedRequestError } from '../../rate-limits/errors.ts';
import { MAX_STAY_MS } from '../../chat/model/wait-for-permit.ts';
import { returnToQueue } from '../../chat/model/queue-place.ts';
import { transcriptionRefusal } from '../authorize.ts';
import { progressCard, type Stoppable, stoppedCard, stoppedNote, waitingCard } from './progress-cards.ts';
import { progressUpdates } from './progress-updates.ts';
import { withStatus } from './status.ts';
import { TranscriptionStopped, STOPPED, throwIfEnded } from './stop.ts';
import { translate } from '../translate.ts';
import { getTranscriptText } from '../../transcript/transcript-text.ts';

/**
 * Writes recordings out, in the thread under their message; or translates one for somebody. Sound is fetched, listened
 * to, and forgotten: only words are kept. May be broken off anywhere and delivered again: what was heard is not heard twice.
 */
export async function runTranscriptionTask(
  wanted: TranscriptionTask,
  given: VoiceContext,
  delivery: QueueDelivery,
): Promise<TaskResult> {
  if (wanted.wish.kind === 'forget') return forgetMessage(wanted, given);
  if ((await given.recordings.isDeleted(wanted)) || (await isErased(wanted, given)))
    return gone(wanted, given);
  const turn = turnOf(wanted);
  // Asked along with what is set, for whoever waits.
  const reads = wanted.locale ?? given.platform.getLocale(turn, turn.asker);
  const layers = await given.settingsStore.layers(
    settingsPlaceOfTurn({ thread: wanted.thread, asker: wanting(wanted) }),
  );
  // Kept as long as the questions of its thread.
  const recordings = given.recordings.withRetention(resolve('retentionDays', layers).value);
  const settings = { ...given.settings, systemPrompt: instructionsAt(given.settings.systemPrompt, layers) };
  const context = { ...given, recordings, settings };
  const task = { ...wanted, locale: resolveLocale(layers, await reads) };
  const refusal = await transcriptionRefusal(task, layers, context);
  const { wish } = task;
  if (wish.kind === 'translate')
    return withStatus(task, wish, context, () =>
      refusal === undefined ? translate(task, wish, context, delivery) : refuse(task, refusal, context),
    );
  if (refusal !== undefined) return refuse(task, refusal, context);
  const heard: TranscribedAttachment[] = [];
  for (const recording of task.recordings) {
    const one = await writeOut(recording, task, context, delivery);
    if (one === 'gone') return gone(task, context);
    if ('later' in one) return requeueLater(task, one.later, delivery, context);
    heard.push(one);
  }
  // Who stops a question before a word of it was heard asks nothing.
  if (wish.kind === 'ask' && isEmpty(wish) && heard.every((one) => 'stopped' in one)) return { kind: 'done' };
  // Asked along, it would be recorded anew.
  if (wish.kind === 'ask' && (await isErased(task, context))) return gone(task, context);
  if (wish.kind === 'ask') await askWithTranscript(task, wish, heard, context);
  return { kind: 'done' };
}

const isEmpty = ({ question, attachments }: Extract<TranscriptionTask['wish'], { kind: 'ask' }>): boolean =>
  question.trim() === '' && attachments.length === 0;

/** Its question is gone too, and is taken back in line with its thread. */
function gone({ thread, wish }: TranscriptionTask, { log }: Pick<VoiceContext, 'log'>): TaskResult {
  log('voice.transcription-rejected', { reason: 'gone', request: wish.kind, channel: thread.channel });
  return { kind: 'done' };
}

/** How long the platform says it is; where its file does not tell. */
const claimed = ({ ms }: Attachment): RecordingDuration | undefined =>
  ms ? { ms, estimated: false } : undefined;

type RetryLater = { readonly later: number };

/** After the time of this delivery was over. */
const GO_ON_MS = 1_000;

async function writeOut(
  recording: Attachment,
  task: TranscriptionTask,
  context: VoiceContext,
  delivery: QueueDelivery,
): Promise<TranscribedAttachment | RetryLater | 'gone'> {
  const locale = toLocale(task.locale);
  const ref = { thread: task.thread, message: task.message, file: recordingKey(recording) };
  const [known] = await Promise.all([
    context.recordings.find(ref),
    context.recordings.begin(ref, task.asker, task.askerWorkspace),
  ]);
  const pieces = known ? await context.recordings.listChunks(ref, toOf(task)) : [];
  // One that was stopped is gone on with only for who asks for it.
  const complete = known?.partial !== STOPPED;
  if (known && (task.wish.kind !== 'show' || (complete && (await isPublished(known, ref, context)))))
    return { text: getTranscriptText(pieces) };
  // Known from the first time on: it goes with its message also where it never becomes more than this.
  const shown = progressUpdates(task.thread, cardKey(task, recording), context, (card) =>
    keepShown(ref, [card], context),
  );
  const stoppable = { ref, wantedBy: wanting(task) };
  const begunAt = context.time.now();
  const work = { task, recording, ref, shown, delivery, locale, stoppable, begunAt, far: { doneMs: 0 } };
  try {
    await throwIfEnded(ref, context);
    shown.soon(waitingCard(localize(locale, 'voice.fetching'), stoppable, locale));
    if (known && complete && known.pieces === pieces.length)
      return await publishTranscript({ ...known, pieces }, work, context);
    return await hearWhole(work, context);
  } catch (error) {
    if (error instanceof MessageGone) return 'gone';
    try {
      if (!(error instanceof TranscriptionStopped)) return await fail(error, work, context);
      const before = withoutGap(await context.recordings.listChunks(ref, toOf(task)));
      return await endStopped({ by: error.by, pieces: before }, work, context);
    } catch (failure) {
      if (!mayNotBeShown(failure)) throw failure;
      // What was heard stays, and goes along with the question; it is heard no better if it is tried again.
      context.log('voice.card-post-failed', { reason: failure.message, channel: task.thread.channel });
      return { text: getTranscriptText(await context.recordings.listChunks(ref, toOf(task))) };
    }
  }
}

/** A recording that is being written out. `far` is how far it is heard. */
type Writing = PublishOptions & {
  readonly stoppable: Stoppable;
  /** When this delivery took it up (ms since 1970). */
  readonly begunAt: number;
  readonly far: { doneMs: number };
};

/** Fetches a recording, and has all of it heard that is not heard yet. Rejects as `listen` does, and with FileUnavailableError. */
async function hearWhole(work: Writing, context: VoiceContext): Promise<TranscribedAttachment | RetryLater> {
  const { task, recording, ref, shown, delivery, locale, stoppable, begunAt, far } = work;
  if ((recording.ms ?? 0) > MAX_MS) {
    const sentence = localize(locale, 'voice.failed.long', { hours: MAX_MS / 3_600_000 });
    await shown.last(failedCard(sentence));
    return { failed: sentence };
  }
  const place = delivery.isLast
    ? undefined
    : await context.speechPermits.find({ id: waitIdOf(ref, toOf(task)), home: asksFor(task).home });
  // Its turn is far off yet: it is not fetched for that.
  if (place && place.waitMs > MAX_STAY_MS) throw new QueuedRequestError(place.waitMs);
  const bytes = await context.platform.downloadFile(turnOf(task), recording, MAX_BYTES);
  const asked = { ref, bytes, to: toOf(task), delivery, ask: asksFor(task), person: wanting(task) };
  const listened = await transcribePieces(
    {
      ...asked,
      stoppable: true,
      progress: (heard, whole) => {
        far.doneMs = heard.at(-1)?.toMs ?? 0;
        shown.soon(progressCard(heard, whole ?? claimed(recording), stoppable, locale));
      },
    },
    context,
  );
  if (listened.kind === 'unfinished') return { later: GO_ON_MS };
  if (listened.kind === 'stopped') return endStopped(listened, work, context);
  const written = await publishTranscript(listened, work, context);
  const measured = { RecordingTime: context.time.now() - begunAt, RecordingSeconds: listened.ms / 1_000 };
  context.metrics('voice.ended', measured, { platform: task.thread.platform });
  return written;
}

/** Whether the bot may not write where a card was to be shown, or nothing is there any more. */
const mayNotBeShown = (error: unknown): error is CannotPostError | ThreadDeletedError =>
  error instanceof CannotPostError || error instanceof ThreadDeletedError;

/** A person stopped it: what was heard until then is shown and kept as it is. */
async function endStopped(
  {
    by,
    pieces,
    whole,
  }: { readonly by: UserId } & Pick<WholeRecording, 'pieces'> & {
      readonly whole?: RecordingDuration | undefined;
    },
  work: PublishOptions,
  context: VoiceContext,
): Promise<TranscribedAttachment> {
  const { shown, locale, recording } = work;
  const ms = pieces.at(-1)?.toMs;
  context.log('voice.transcription-stopped', { ms: ms ?? 0 });
  if (ms === undefined) {
    await shown.last(stoppedCard(by, locale));
    return { failed: localize(locale, 'voice.stopping'), stopped: true };
  }
  const ended = stoppedNote(by, ms, whole ?? claimed(recording), locale);
  return publishTranscript({ pieces, ms, partial: STOPPED }, { ...work, ended }, context);
}

/** Waits where waiting helps; else says which stage failed, and what to do. */
async function fail(
  error: unknown,
  { task, shown, delivery, locale, stoppable, far: { doneMs } }: Writing,
  context: VoiceContext,
): Promise<TranscribedAttachment | RetryLater> {
  const clock = clockOf(context, locale);
  const wait = waitMs(error, clock);
  if (wait !== undefined && (await canWait(task, delivery, context))) {
    const seconds = Math.ceil(wait.ms / 1_000);
    const words = localize(locale, wait.broke ? 'voice.broke-off' : 'voice.in-line', { seconds });
    await shown.last(waitingCard(words, stoppable, locale));
    // It is back shortly before its turn.
    return { later: error instanceof QueuedRequestError ? returnToQueue(wait.ms).afterMs : wait.ms };
  }
  const sentence = failureOf(error, doneMs, clock);
  if (sentence === undefined) throw error;
  await shown.last(failedCard(sentence));
  return { failed: sentence };
}
