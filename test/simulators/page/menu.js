import { element } from './dom.js';
import { typedAgain } from './workspace.js';

/** What a person can do with a message: reply, what the app offers and, with one of their own, edit and delete it. */
export function menuView(message, { mine, shortcuts, openThread, act }) {
  const items = [
    ...(openThread ? [item('thread', 'Reply in thread', () => openThread(message.ts))] : []),
    ...(message.files?.length > 0 ? [reactView(message, act)] : []),
    ...(shortcuts.length > 0 ? [shortcutsView(message, shortcuts, act)] : []),
    ...(mine ? [item('edit', 'Edit', () => act.edit(message)), deleteView(() => act.remove(message))] : []),
  ];
  return menuOf(mine ? 'Your message' : 'This message', items);
}

function toggle({ currentTarget: { dataset } }) {
  if (dataset.keptOpen === undefined) dataset.keptOpen = 'yes';
  else delete dataset.keptOpen;
}

/** A menu of a message, which stands there while the message is pointed at, and the button that opens it elsewhere. */
export function menuOf(label, items) {
  if (items.length === 0) return [];
  const attributes = {
    type: 'button',
    class: 'menu-open',
    'data-key': 'menu-open',
    'aria-label': 'What to do with it',
  };
  return [
    element('button', { ...attributes, onclick: toggle }, '⋯'),
    element('div', { class: 'menu', role: 'group', 'aria-label': label, 'data-key': 'menu' }, ...items),
  ];
}

/** One thing to do. The key finds the same button again after the message was drawn anew. */
export const item = (key, words, onclick) =>
  element('button', { type: 'button', 'data-key': key, onclick }, words);

/** The one reaction that means something to the app: under a recording. */
const reactView = (message, { react }) =>
  element(
    'button',
    {
      type: 'button',
      'data-key': 'memo',
      'aria-label': 'React with :memo:',
      onclick: () => react(message, 'memo'),
    },
    '✎',
  );

/** The app's commands in the menu of a message. */
const shortcutsView = (message, shortcuts, { shortcut }) =>
  selectView(
    'More actions',
    shortcuts.map(({ name, callback_id: value }) => [name, value]),
    (value) => shortcut(message, value),
  );

/** A menu of things to do: `options` are words and a value each, `choose` is told of the value. */
export function selectView(label, options, choose) {
  const onchange = ({ currentTarget }) => {
    const { value } = currentTarget;
    currentTarget.value = '';
    if (value !== '') choose(value);
  };
  return element(
    'select',
    { 'aria-label': label, 'data-key': 'more', onchange },
    element('option', { value: '' }, `⋯ ${label}`),
    ...options.map(([words, value]) => element('option', { value }, words)),
  );
}

/** Deleting asks once more. */
export const deleteView = (remove) =>
  element(
    'button',
    {
      type: 'button',
      'data-key': 'delete',
      onclick: ({ currentTarget }) => (currentTarget.dataset.sure ? remove() : askAgain(currentTarget, true)),
      onblur: ({ currentTarget }) => askAgain(currentTarget, false),
    },
    'Delete',
  );

function askAgain(button, sure) {
  if (sure) button.dataset.sure = 'yes';
  else delete button.dataset.sure;
  button.textContent = sure ? 'Really delete?' : 'Delete';
}

/** The box in which a message is changed: Enter saves, Escape leaves it as it was. */
export function editView(state, message, { edit, save }) {
  const done = ({ currentTarget }) =>
    save(message, currentTarget.closest('.edit').querySelector('textarea').value.trim());
  const onkeydown = (event) => {
    if (event.key === 'Escape') {
      event.stopPropagation();
      edit(undefined);
    }
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    done(event);
  };
  const area = element('textarea', { rows: '2', 'aria-label': 'Your message', onkeydown });
  area.value = typedAgain(state, message.text);
  // Of a message that is drawn anew, the box that was there stays, and this one is never shown.
  setTimeout(() => area.focus());
  return element(
    'div',
    { class: 'edit' },
    area,
    element('button', { type: 'button', onclick: () => edit(undefined) }, 'Cancel'),
    element('button', { type: 'button', class: 'send', onclick: done }, 'Save'),
  );
}
