import type { Modal } from '../../domain/index.ts';
import type { FormTexts } from '../../i18n/index.ts';

/** In characters. The same as in `shared/settings/workspace-api-key.ts`; the Discord front has no room for its import. */
const MAX_KEY_LENGTH = 512;

/** The modal for the workspace's own API key, or that of the MCP server in `args`: a modal keeps it out of messages. Its action is `key.set`. */
export const form = (args: readonly string[], texts: FormTexts): Modal => ({
  title: texts('ownKey'),
  submit: texts('save'),
  action: { name: 'key.set', args },
  fields: [{ id: 'key', label: texts('key'), kind: 'line', most: MAX_KEY_LENGTH }],
});
