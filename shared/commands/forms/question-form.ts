import type { Modal } from '../../domain/index.ts';
import type { FormTexts } from '../../i18n/index.ts';

/** Slack's limit of a text input, in characters. */
const MAX_LENGTH = 3_000;

/** The modal for a question about a recording. Its action is `voice.asked|message|file`. */
export const createTranscriptForm = (args: readonly string[], texts: FormTexts): Modal =>
  buildQuestionForm(texts('about'), 'voice.asked', args, texts);

/** The modal for a public question, opened from the menu card. Its action is `ask.openly`. */
export const createQuestionForm = (_: readonly string[], texts: FormTexts): Modal =>
  buildQuestionForm(texts('send'), 'ask.openly', [], texts);

/** The modal for a question about a stored message. Its action is `ask.about|interaction|channel|root`. */
export const createStoredForm = (args: readonly string[], texts: FormTexts): Modal =>
  buildQuestionForm(texts('about'), 'ask.about', args, texts, { hint: texts('hint'), optional: true });

function buildQuestionForm(
  title: string,
  name: string,
  args: readonly string[],
  texts: FormTexts,
  more: { readonly hint?: string; readonly optional?: true } = {},
): Modal {
  const field = {
    id: 'question',
    label: texts('question'),
    kind: 'paragraph',
    most: MAX_LENGTH,
    ...more,
  } as const;
  return { title, submit: texts('send'), action: { name, args }, fields: [field] };
}
