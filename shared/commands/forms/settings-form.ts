import type { Modal } from '../../domain/index.ts';
import { MAX_OPTION_LENGTH } from '../framework/command-spec.ts';
import type { FormTexts } from '../../i18n/index.ts';

/** The modal for a setting that has no menu. Arguments: level, setting. Its action is `settings.write|level|setting`. */
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
