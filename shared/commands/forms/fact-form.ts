import type { Modal } from '../../domain/index.ts';
import type { FormTexts } from '../../i18n/index.ts';

/** The modal that changes a fact, whose code is in `args`. Its action is `memory.save`. */
export const form = (args: readonly string[], texts: FormTexts): Modal => ({
  title: texts('edit'),
  submit: texts('save'),
  action: { name: 'memory.save', args },
  fields: [{ id: 'text', label: texts('value'), kind: 'paragraph', most: 300 }],
});
