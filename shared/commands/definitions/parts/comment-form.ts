import { MAX_COMMENT_LENGTH, type Modal } from '../../../domain/index.ts';
import { type Locale, localize } from '../../../i18n/index.ts';

/** The modal for a comment on an answer. `root` is that of the thread, `question` the message id of the question. */
export const createCommentForm = (root: string, question: string, locale: Locale): Modal => ({
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
