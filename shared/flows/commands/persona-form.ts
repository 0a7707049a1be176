import type { Form } from '../../conversation/index.ts';
import { LONGEST_SAVED } from '../../settings/index.ts';
import type { FormTexts } from '../../texts/forms/index.ts';

/** Asks for a persona to save, by the name `[name]` if one was given. Comes back as `persona.save`. */
export const form = ([name]: readonly string[], texts: FormTexts): Form => ({
  title: texts('persona'),
  submit: texts('save'),
  action: { name: 'persona.save', args: [] },
  fields: [
    { id: 'name', label: texts('name'), hint: texts('nameHint'), kind: 'line', most: 40, value: name },
    { id: 'text', label: texts('prompt'), kind: 'paragraph', most: LONGEST_SAVED.persona },
  ],
});
