import type { Modal } from '../../domain/index.ts';
import type { FormTexts } from '../../i18n/index.ts';

/** What an input of Slack's takes at most. */
const MAX_LENGTH = 3_000;

/** Asks what somebody wants to know of a recording. Comes back as `voice.asked|message|file`. */
export const transcriptForm = (args: readonly string[], texts: FormTexts): Modal =>
  createQuestionForm(texts('about'), 'voice.asked', args, texts);

/** Asks for a question, for the menu. Comes back as `ask.openly`. */
export const questionForm = (_: readonly string[], texts: FormTexts): Modal =>
  createQuestionForm(texts('send'), 'ask.openly', [], texts);

/** Asks what somebody wants to know of a message that was kept for this interaction. Comes back as `ask.about|interaction|channel|root`. */
export const storedForm = (args: readonly string[], texts: FormTexts): Modal =>
  createQuestionForm(texts('about'), 'ask.about', args, texts, { hint: texts('hint'), optional: true });

function createQuestionForm(
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
