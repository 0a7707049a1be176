import { typedAgain } from './discord-state.js';
import { ask } from './notice.js';

/** What a person does with a message. */
export function createActions({ state, view, unread, draw, go, command }) {
  const edit = (message) => {
    const before = view.editing;
    view.editing = message?.id;
    draw();
    // The focus goes back to where the editing began.
    if (before && !message) document.querySelector(`[data-ts="${before}"] [data-key="edit"]`)?.focus();
  };
  return {
    edit,
    isUnread: (channel) => unread.has(view.person, channel),
    open: (channel) => go({ channel }),
    press: (message, customId, values) => void command('press', { message: message.id, customId, values }),
    menu: (message, name) => void command('menu', { message: message.id, name }),
    react: (message, emoji, on) => void ask('react', { user: view.person, message: message.id, emoji, on }),
    remove: (message) => void ask('remove', { user: view.person, message: message.id }),
    reply(message) {
      view.replying = message?.id;
      if (message) document.getElementById('composer-text').focus();
      draw();
    },
    async save(message, text) {
      if (text !== '' && !(await ask('edit', { user: view.person, message: message.id, text }))) return;
      edit(undefined);
    },
    async thread(message) {
      const name = typedAgain(state, message.content).replaceAll(/\s+/g, ' ').slice(0, 90) || 'Thread';
      const answer = await ask('thread', { user: view.person, on: message.id, name });
      if (answer) go({ channel: answer.id });
    },
  };
}
