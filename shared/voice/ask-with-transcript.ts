import type { Attachment, TranscriptionTask, TaskResult } from '../domain/index.ts';
import { getMediaHint } from '../documents/index.ts';
import { enqueueQuestion } from '../task-queue/index.ts';
import { toLocale, localize, localizeRefusal, type TypedCommandFormat } from '../i18n/index.ts';
import { createFailedCard } from './cards.ts';
import type { VoiceContext } from './ports.ts';
import { toTurnRef } from './transcription/task-fields.ts';
import type { findTranscriptionRefusal } from './authorize.ts';
import { replyToRequester } from './reply-to-requester.ts';
import { clearStatus } from './transcription/status.ts';

/** The transcript of a recording in a question, or why there is none. */
export type TranscribedAttachment =
  | { readonly text: string }
  /** `stopped`: a person stopped it before anything was transcribed. */
  | { readonly failed: string; readonly stopped?: true };

/** Queues the question with the transcripts as its text, so that they become part of the thread's history. */
export async function askWithTranscript(
  task: TranscriptionTask,
  {
    question,
    attachments,
    wasQueued,
    edit,
    model,
    locale,
  }: Extract<TranscriptionTask['request'], { kind: 'ask' }>,
  transcripts: readonly TranscribedAttachment[],
  { queue, time }: Pick<VoiceContext, 'queue' | 'time'>,
  /** The recordings that the model accepts itself. */
  media: readonly Attachment[] = [],
): Promise<void> {
  const texts = transcripts.map((transcript) =>
    'text' in transcript
      ? transcript.text
      : localize(toLocale(task.locale), 'voice.quote-failed', { why: transcript.failed }),
  );
  const text = [question, ...texts].filter((part) => part.trim() !== '').join('\n\n');
  const context = { queue, now: time.now };
  const files = [...attachments, ...media.map((one) => ({ ...one, isTranscribed: true }))];
  const requestKey = wasQueued ? `heard${edit ?? ''}` : edit;
  const fields = { late: wasQueued, edit, model, locale };
  await enqueueQuestion(toTurnRef(task), text, files, context, fields, requestKey);
}

/** Returns the recordings that this model accepts itself, as far as the model list says so. */
export async function listRecordingsForModel(
  recordings: readonly Attachment[],
  model: string | undefined,
  { chat }: Pick<VoiceContext, 'chat'>,
): Promise<readonly Attachment[]> {
  const { audio, video } = await chat.modelFacts(model);
  const accepted = { sound: audio === true, video: video === true };
  return recordings.filter((one) => {
    const hint = getMediaHint(one);
    return hint !== undefined && accepted[hint];
  });
}

function refusalSentence(
  refusal: NonNullable<Awaited<ReturnType<typeof findTranscriptionRefusal>>>,
  format: TypedCommandFormat,
): string {
  const { locale } = format;
  switch (refusal) {
    case 'theirs':
      return localize(locale, 'voice.theirs');
    case 'switched-off':
    case 'silent':
    case 'unwanted':
      return localize(locale, 'voice.switched-off');
    case 'denied':
    case 'not-allowed':
    case 'not-here':
      return localizeRefusal(refusal, format);
  }
}

/**
 * Handles a task that is not allowed. A question is queued without its transcript: the worker rejects people who may not
 * ask, and tells others why it was not transcribed. The person behind a button click gets a reply; nobody waits for
 * anything else.
 */
export async function handleRefusal(
  task: TranscriptionTask,
  refusal: NonNullable<Awaited<ReturnType<typeof findTranscriptionRefusal>>>,
  context: VoiceContext,
): Promise<TaskResult> {
  const { request, thread } = task;
  context.log('voice.transcription-rejected', {
    reason: refusal,
    request: request.kind,
    channel: thread.channel,
  });
  const locale = toLocale(task.locale);
  const why = refusalSentence(refusal, { platform: thread.platform, locale });
  if (request.kind === 'ask') await askWithTranscript(task, request, [{ failed: why }], context);
  if (request.kind === 'translate') await replyToRequester(request, createFailedCard(why), locale, context);
  return { kind: 'done' };
}

/** Ends the task of a deleted or erased message. The person behind a button click gets a reply; nobody else is told. */
export async function skipDeleted(
  { thread, locale: language, request }: TranscriptionTask,
  context: Pick<VoiceContext, 'messenger' | 'signals' | 'time' | 'log'>,
): Promise<TaskResult> {
  const facts = { reason: 'gone', request: request.kind, channel: thread.channel };
  context.log('voice.transcription-rejected', facts);
  if (request.kind !== 'translate') return { kind: 'done' };
  // Shown when the task was queued.
  await clearStatus(thread, context);
  const locale = toLocale(language);
  return replyToRequester(request, createFailedCard(localize(locale, 'voice.gone')), locale, context);
}
