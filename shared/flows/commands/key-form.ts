import type { Form } from '../../conversation/index.ts';
import type { FormTexts } from '../../texts/forms/index.ts';

/** What a header carries of a key. */
export const LONGEST_KEY = 512;

/** Asks for the workspace's own key, which so stands in no message. Comes back as `key.set`. */
export const form = (_: readonly string[], texts: FormTexts): Form => ({
  title: texts('ownKey'),
  submit: texts('save'),
  action: { name: 'key.set', args: [] },
  fields: [{ id: 'key', label: texts('key'), kind: 'line', most: LONGEST_KEY }],
});
