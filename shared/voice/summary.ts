import { type TranscriptionTask, buildPrompt } from '../domain/index.ts';
import type { Locale } from '../i18n/index.ts';
import type { QueueDelivery } from '../context/ports.ts';
import { LimitedRequest } from '../chat/model/rate-limited-request.ts';
import { withBudget } from '../billing/metered-stream.ts';
import { asksFor, wanting } from './transcription/task-fields.ts';
import type { VoiceContext } from './ports.ts';

/** Shorter recordings are read faster than their summary, in ms. */
const WORTH_MS = 120_000;
/** Of the words, so many characters are summed up: what most models take in. */
const MAX = 100_000;
const MAX_TOKENS = 2_000;

const WISH = `Sum up the recording below for people who did not hear it. Three parts, each a short list in Markdown under a bold
line: the summary, the decisions that were made, and the questions that stayed open. Leave a part out if there is nothing in
it. Say nothing that is not in the recording.`;

/**
 * Sums a long recording up: summary, decisions, questions. Undefined if it is short or that is not wanted. Rejects as
 * the models do.
 */
export async function summaryOf(
  words: string,
  ms: number,
  { task, locale, delivery }: { task: TranscriptionTask; locale: Locale; delivery: QueueDelivery },
  context: VoiceContext,
): Promise<string | undefined> {
  if (task.wish.kind !== 'show' || task.wish.summary !== true || ms < WORTH_MS || words === '') return;
  const language = new Intl.DisplayNames(['en'], { type: 'language' }).of(locale) ?? 'English';
  const question = `${WISH} Write in ${language}.\n\n<recording>\n${words.slice(0, MAX).toWellFormed()}\n</recording>`;
  const { signal } = new AbortController();
  const request = new LimitedRequest({
    context,
    delivery,
    signal,
    ask: asksFor(task),
  });
  const answered = async (): Promise<string | undefined> => {
    const own = { ...request.options, signal, deadline: delivery.deadline };
    const prompt = buildPrompt(context.settings.systemPrompt, [], question);
    const events = withBudget(prompt, own, {
      context,
      id: `${task.message}.summary`,
      thread: task.thread,
      person: wanting(task),
      mostTokens: MAX_TOKENS,
      sent: () => request.sent,
    });
    for await (const event of events) {
      if (event.type === 'end') return event.text.trim() || undefined;
    }
    return undefined;
  };
  return request.during(answered());
}
