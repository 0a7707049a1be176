import { type TranscriptionTask, buildPrompt, type QueueDelivery } from '../domain/index.ts';
import type { Locale } from '../i18n/index.ts';
import { RateLimitedRequest } from '../chat/index.ts';
import type { RecordingRef } from '../storage/index.ts';
import { withBudget } from '../billing/index.ts';
import { toPermitRequest, getRequester } from './transcription/task-fields.ts';
import type { VoiceContext } from './ports.ts';

/** Shorter recordings (ms) get no summary: their transcript is as fast to read. */
const MIN_SUMMARY_MS = 120_000;
/** Longest transcript that is summarized, in characters: what most models accept. */
const MAX_CHARS = 100_000;
const MAX_TOKENS = 2_000;

const INSTRUCTIONS = `Sum up the recording below for people who did not hear it. Three parts, each a short list in Markdown under a bold
line: the summary, the decisions that were made, and the questions that stayed open. Leave a part out if there is nothing in
it. Say nothing that is not in the recording.`;

type SummaryOptions = {
  readonly task: TranscriptionTask;
  readonly ref: RecordingRef;
  readonly locale: Locale;
  readonly delivery: QueueDelivery;
};

/**
 * Summarizes a long recording: summary, decisions, questions. Returns undefined if it is short or no summary is
 * configured. Rejects with the model's errors.
 */
export async function summarizeRecording(
  transcript: string,
  ms: number,
  { task, ref, locale, delivery }: SummaryOptions,
  context: VoiceContext,
): Promise<string | undefined> {
  if (
    task.request.kind !== 'show' ||
    task.request.summary !== true ||
    ms < MIN_SUMMARY_MS ||
    transcript === ''
  )
    return;
  const language = new Intl.DisplayNames(['en'], { type: 'language' }).of(locale) ?? 'English';
  const question = `${INSTRUCTIONS} Write in ${language}.\n\n<recording>\n${transcript.slice(0, MAX_CHARS).toWellFormed()}\n</recording>`;
  const { signal } = new AbortController();
  const request = new RateLimitedRequest({
    context,
    delivery,
    signal,
    permitRequest: toPermitRequest(task),
  });
  const readSummary = async (): Promise<string | undefined> => {
    const options = { ...request.options, signal, deadline: delivery.deadline };
    const prompt = buildPrompt(context.settings.systemPrompt, [], question);
    const events = withBudget(prompt, options, {
      context,
      // A message may have several recordings, each with a summary.
      id: `${task.message}.${ref.file}.summary`,
      thread: task.thread,
      person: getRequester(task),
      maxUsefulTokens: MAX_TOKENS,
      mayBeBilled: (failure) => request.countBillable(failure) > 0,
    });
    for await (const event of events) {
      if (event.type === 'end') return event.text.trim() || undefined;
    }
    return undefined;
  };
  return request.untilReported(readSummary());
}
