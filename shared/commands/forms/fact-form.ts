import type { Modal } from '../../domain/index.ts';
import type { FormTexts } from '../../i18n/index.ts';

/** The modal that changes the fact with that code. Its action is `memory.save|code`. */
export const createFactForm = (id: string, value: string, texts: FormTexts): Modal => ({
  title: texts('edit'),
  submit: texts('save'),
  action: { name: 'memory.save', args: [id] },
  fields: [{ id: 'text', label: texts('value'), kind: 'paragraph', most: 300, value }],
});
