import { element } from './dom.js';
import { typedAgain } from './workspace.js';

/** What a person can do with a message: what the app offers and, with one of their own, edit and delete it. */
export function menuView(message, { mine, shortcuts, act }) {
  const items = [
    ...(message.files?.length > 0 ? [reactView(message, act)] : []),
    ...(shortcuts.length > 0 ? [shortcutsView(message, shortcuts, act)] : []),
    ...(mine ? ownView(message, act) : []),
  ];
  if (items.length === 0) return undefined;
  const label = mine ? 'Your message' : 'This message';
  return element('div', { class: 'menu', role: 'group', 'aria-label': label }, ...items);
}

/** The one reaction that means something to the app: under a recording. */
function reactView(message, { react }) {
  return element(
    'button',
    { type: 'button', 'aria-label': 'React with :memo:', onclick: () => react(message, 'memo') },
    '📝',
  );
}

/** The app's commands in the menu of a message. */
function shortcutsView(message, shortcuts, { shortcut }) {
  const choose = ({ target }) => {
    const name = target.value;
    target.value = '';
    if (name !== '') shortcut(message, name);
  };
  return element(
    'select',
    { 'aria-label': 'More actions', onchange: choose },
    element('option', { value: '' }, '⋯ More'),
    ...shortcuts.map(({ name, callback_id: value }) => element('option', { value }, name)),
  );
}

/** Deleting asks once more. */
function ownView(message, { edit, remove }) {
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
  return [change, really];
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
