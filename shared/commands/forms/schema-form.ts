import type { Modal } from '../../domain/index.ts';
import { MAX_SCHEMA_LENGTH } from '../../settings/rules/index.ts';
import type { FormTexts } from '../../i18n/index.ts';

/** The modal for saving a JSON schema. Argument: the name, if known. Its action is `schema.save`. */
export const form = ([name]: readonly string[], texts: FormTexts): Modal => ({
  title: texts('schema'),
  submit: texts('save'),
  action: { name: 'schema.save', args: [] },
  fields: [
    { id: 'name', label: texts('name'), hint: texts('nameHint'), kind: 'line', most: 40, value: name },
    { id: 'text', label: 'JSON Schema', kind: 'paragraph', most: MAX_SCHEMA_LENGTH },
  ],
});
