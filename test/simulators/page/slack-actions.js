import { ask, notice } from './notice.js';
import { press } from './press.js';

/** What a person does with a message. */
export function createActions({ view, draw }) {
  const editingIn = (log) => {
    const edit = (message) => {
      const [, before] = view.editing?.split('/') ?? [];
      view.editing = message && `${log}/${message.ts}`;
      draw();
      // The focus goes back to where the editing began.
      if (!message) document.querySelector(`#${log} [data-ts="${before}"] [data-key="edit"]`)?.focus();
    };
    const save = async ({ channel, ts }, text) => {
      if (text !== '' && !(await ask('edit', { user: view.person, channel, ts, text }))) return;
      edit(undefined);
    };
    return { edit, save };
  };
  return {
    editingIn,
    press: (...pressed) => void press(...pressed),
    shortcut: (message, name) => void shortcut(view.person, message, name),
    react: ({ channel, ts }, name) => void ask('react', { user: view.person, channel, ts, name }),
    async remove({ channel, ts }) {
      await ask('remove', { user: view.person, channel, ts });
    },
  };
}

async function shortcut(user, { channel, ts }, name) {
  const answer = await ask('shortcut', { user, channel, ts, name });
  if (answer?.acknowledged === false) notice('⚠ Parley did not take it.', 15_000);
}
