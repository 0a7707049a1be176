import type { Modal } from '../../domain/index.ts';
import type { FormTexts } from '../../i18n/index.ts';

/** What a header carries of a key. */
export const MAX_KEY_LENGTH = 512;

/** Asks for the workspace's own key, which so stands in no message. Comes back as `key.set`. */
export const form = (_: readonly string[], texts: FormTexts): Modal => ({
  title: texts('ownKey'),
  submit: texts('save'),
  action: { name: 'key.set', args: [] },
  fields: [{ id: 'key', label: texts('key'), kind: 'line', most: MAX_KEY_LENGTH }],
});
