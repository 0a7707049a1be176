import type { TranscriptionTask } from '../domain/index.ts';
import { type Locale, toLocale, localize } from '../i18n/index.ts';
import type { TaskResult } from '../context/ports.ts';
import { enqueueQuestion } from '../task-queue/enqueue.ts';
import { failedCard } from './cards.ts';
import type { VoiceContext } from './ports.ts';
import { turnOf } from './transcription/task-fields.ts';
import type { transcriptionRefusal } from './authorize.ts';
import { replyToRequester } from './reply-to-requester.ts';

/** What became of a recording of a question. */
export type TranscribedAttachment =
  | { readonly text: string }
  /** `stopped`: by a person, before anything was heard. */
  | { readonly failed: string; readonly stopped?: true };

/** What was said becomes the question, and with it part of the thread's history. */
export async function askWithTranscript(
  task: TranscriptionTask,
  { question, attachments, again }: Extract<TranscriptionTask['wish'], { kind: 'ask' }>,
  heard: readonly TranscribedAttachment[],
  { queue, time }: Pick<VoiceContext, 'queue' | 'time'>,
): Promise<void> {
  const locale = toLocale(task.locale);
  const spoken = heard.map((one) =>
    'text' in one ? one.text : localize(locale, 'voice.quote-failed', { why: one.failed }),
  );
  const words = [question, ...spoken].filter((one) => one.trim() !== '').join('\n\n');
  const context = { queue, now: time.now };
  await enqueueQuestion(turnOf(task), words, attachments, context, { late: again }, again ? 'heard' : '');
}

function whyNot(
  refusal: NonNullable<Awaited<ReturnType<typeof transcriptionRefusal>>>,
  locale: Locale,
): string {
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
      return localize(locale, `settings.refused.${refusal}`);
  }
}

/**
 * A question goes on unheard: the worker turns away who may not ask, and whoever may is told why it was not heard. Who
 * pressed a button is told; for all else nobody waits.
 */
export async function refuse(
  task: TranscriptionTask,
  refusal: NonNullable<Awaited<ReturnType<typeof transcriptionRefusal>>>,
  context: VoiceContext,
): Promise<TaskResult> {
  const { wish, thread } = task;
  context.log('voice.transcription-rejected', {
    reason: refusal,
    request: wish.kind,
    channel: thread.channel,
  });
  const locale = toLocale(task.locale);
  const why = whyNot(refusal, locale);
  if (wish.kind === 'ask') await askWithTranscript(task, wish, [{ failed: why }], context);
  if (wish.kind === 'translate') await replyToRequester(wish, failedCard(why), context);
  return { kind: 'done' };
}
