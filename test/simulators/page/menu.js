import { element } from './dom.js';
import { typedAgain } from './workspace.js';

/** What a person can do with a message of theirs. Deleting asks once more. */
export function menuView(message, { edit, remove }) {
  const really = element('button', {
    type: 'button',
    onclick: () => {
      if (really.dataset.sure) return remove(message);
      really.dataset.sure = 'yes';
      really.textContent = 'Really delete?';
      return undefined;
    },
    onblur: () => {
      delete really.dataset.sure;
      really.textContent = 'Delete';
    },
  });
  really.textContent = 'Delete';
  const change = element('button', { type: 'button', onclick: () => edit(message) }, 'Edit');
  return element('div', { class: 'menu', role: 'group', 'aria-label': 'Your message' }, change, really);
}

/** The box in which a message is changed: Enter saves, Escape leaves it as it was. */
export function editView(state, message, { edit, save }) {
  const area = element('textarea', { rows: '2', 'aria-label': 'Your message' });
  area.value = typedAgain(state, message.text);
  const done = () => save(message, area.value.trim());
  area.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      event.stopPropagation();
      edit(undefined);
    }
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    done();
  });
  setTimeout(() => area.focus());
  return element(
    'div',
    { class: 'edit' },
    area,
    element('button', { type: 'button', onclick: () => edit(undefined) }, 'Cancel'),
    element('button', { type: 'button', class: 'send', onclick: done }, 'Save'),
  );
}
