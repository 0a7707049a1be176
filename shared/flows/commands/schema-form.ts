import type { Form } from '../../conversation/index.ts';
import { LONGEST_SAVED } from '../../settings/index.ts';
import type { FormTexts } from '../../texts/forms/index.ts';

/** Asks for a JSON schema to save, by the name `[name]` if one was given. Comes back as `schema.save`. */
export const form = ([name]: readonly string[], texts: FormTexts): Form => ({
  title: texts('schema'),
  submit: texts('save'),
  action: { name: 'schema.save', args: [] },
  fields: [
    { id: 'name', label: texts('name'), hint: texts('nameHint'), kind: 'line', most: 40, value: name },
    { id: 'text', label: 'JSON Schema', kind: 'paragraph', most: LONGEST_SAVED.schema },
  ],
});
