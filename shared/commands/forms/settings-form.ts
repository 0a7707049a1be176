import type { Modal } from '../../domain/index.ts';
import { MAX_OPTION_LENGTH } from '../framework/command-spec.ts';
import type { FormTexts } from '../../i18n/index.ts';

/** Asks for the value of a setting that is written: `[level, setting]`. Comes back as `settings.write|level|setting`. */
export const form = ([level = '', setting = '']: readonly string[], texts: FormTexts): Modal => ({
  title: texts('setting'),
  submit: texts('save'),
  action: { name: 'settings.write', args: [level, setting] },
  fields: [
    {
      id: 'value',
      label: `${setting}: ${texts('value')}`,
      hint: texts('valueHint'),
      kind: 'paragraph',
      most: MAX_OPTION_LENGTH,
    },
  ],
});
