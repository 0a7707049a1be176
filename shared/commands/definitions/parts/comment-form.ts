import type { Modal } from '../../../domain/index.ts';
import { type Locale, localize } from '../../../i18n/index.ts';

/** Characters of what is written about an answer. */
const MAX_COMMENT_LENGTH = 1_000;

/** The form in which people say what was wrong with an answer. `root`: of its thread; `question`: its message. */
export const commentForm = (root: string, question: string, locale: Locale): Modal => ({
  title: localize(locale, 'feedback.form.title'),
  submit: localize(locale, 'feedback.form.submit'),
  action: { name: 'feedback.comment', args: [root, question] },
  fields: [
    {
      id: 'text',
      label: localize(locale, 'feedback.form.label'),
      hint: localize(locale, 'feedback.form.hint'),
      kind: 'paragraph',
      most: MAX_COMMENT_LENGTH,
    },
  ],
});
