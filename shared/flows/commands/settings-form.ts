import type { Form } from '../../conversation/index.ts';
import { LONGEST_OPTION } from './spec.ts';
import type { FormTexts } from '../../texts/forms/index.ts';

/** Asks for the value of a setting that is written: `[level, setting]`. Comes back as `settings.write|level|setting`. */
export const form = ([level = '', setting = '']: readonly string[], texts: FormTexts): Form => ({
  title: texts('setting'),
  submit: texts('save'),
  action: { name: 'settings.write', args: [level, setting] },
  fields: [
    {
      id: 'value',
      label: `${setting}: ${texts('value')}`,
      hint: texts('valueHint'),
      kind: 'paragraph',
      most: LONGEST_OPTION,
    },
  ],
});
