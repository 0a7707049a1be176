import type { Modal } from '../../domain/index.ts';
import { MAX_PERSONA_LENGTH } from '../../settings/rules/index.ts';
import type { FormTexts } from '../../i18n/index.ts';

/** The modal for saving a persona. Argument: the name, if known. Its action is `persona.save`. */
export const form = ([name]: readonly string[], texts: FormTexts): Modal => ({
  title: texts('persona'),
  submit: texts('save'),
  action: { name: 'persona.save', args: [] },
  fields: [
    { id: 'name', label: texts('name'), hint: texts('nameHint'), kind: 'line', most: 40, value: name },
    { id: 'text', label: texts('prompt'), kind: 'paragraph', most: MAX_PERSONA_LENGTH },
  ],
});
