import { uploadOf } from './attach.js';
import { commandsIn } from './discord-state.js';
import { element } from './dom.js';
import { ask, notice } from './notice.js';

const byId = (id) => document.getElementById(id);

/** The commands that fit what was typed after `/`, and the fields of the one that was chosen. */
export function createSlash({ state, view, send }) {
  const box = byId('slash');
  const area = byId('composer-text');
  const close = () => {
    box.hidden = true;
    box.replaceChildren();
  };
  const channel = () => state.channels.get(view.channel);
  const read = (of, key) => inTongue(of, key, state.users.find(({ id }) => id === view.person)?.locale);

  const all = (place) => commandsIn(state, place, 1).flatMap((command) => flat(command, read));

  const choose = ({ name, label, command }) => {
    area.value = '';
    const fields = (command.options ?? []).map((option) => fieldOf(option, name, { box, view, read }));
    const go = element('button', { type: 'button', class: 'send', onclick: () => void give(name) }, 'Send');
    box.replaceChildren(
      element(
        'p',
        {},
        element('b', {}, `/${label}`),
        ' ',
        element('span', { class: 'faint' }, read(command, 'description')),
      ),
      ...fields,
      element(
        'div',
        { class: 'buttons' },
        go,
        element('button', { type: 'button', onclick: close }, 'Cancel'),
      ),
    );
    box.hidden = false;
    (box.querySelector('input, select, textarea') ?? go).focus();
  };

  const give = async (name) => {
    const options = {};
    for (const field of box.querySelectorAll('[data-option]')) {
      const value = await valueOf(field);
      if (value !== undefined) options[field.dataset.option] = value;
    }
    if (await send(name, options)) close();
  };

  // From the message box and in the list, the arrows lead from command to command.
  for (const where of [area, box]) where.addEventListener('keydown', (event) => moveIn(box, event));
  box.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      close();
      area.focus();
    }
    if (event.key !== 'Enter' || event.target.tagName === 'BUTTON' || event.shiftKey) return;
    event.preventDefault();
    box.querySelector('.send')?.click();
  });
  return {
    close,
    /** Shows what fits the text so far; true if it is a command that is being typed. */
    offer(text) {
      const prefix = /^\/([\p{L}\p{N}_ -]*)$/u.exec(text)?.[1];
      const place = channel();
      if (prefix === undefined || !place) {
        if (box.querySelector('.choices')) close();
        return false;
      }
      const fitting = all(place).filter(({ name, label }) =>
        [name, label].some((one) => one.startsWith(prefix.toLowerCase().trim())),
      );
      const items = fitting.map((one) =>
        element(
          'button',
          { type: 'button', onclick: () => choose(one) },
          element('b', {}, `/${one.label}`),
          element('span', { class: 'faint' }, ` ${read(one.command, 'description')}`),
        ),
      );
      const none = element(
        'p',
        { class: 'faint' },
        'No such command. Commands appear once the app has registered them.',
      );
      box.replaceChildren(element('div', { class: 'choices' }, ...(items.length > 0 ? items : [none])));
      box.hidden = false;
      return true;
    },
    /** Takes the first command that fits. */
    first: () => box.querySelector('.choices button')?.click(),
    /** Opens a command by its whole name. */
    open(name) {
      const place = channel();
      const command = place && all(place).find((one) => one.name === name);
      if (command) choose(command);
      else notice(`There is no command /${name} here.`, 8_000);
    },
  };
}

function moveIn(box, event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const choices = [...box.querySelectorAll('.choices button')];
  if (!step || choices.length === 0) return;
  event.preventDefault();
  const at = choices.indexOf(document.activeElement);
  choices.at(at < 0 && step < 0 ? -1 : (at + step) % choices.length)?.focus();
}

/** The name or the description of a command or an option in somebody's language. */
const inTongue = (of, key, locale) => of[`${key}_localizations`]?.[locale] ?? of[key];

/** A command, or its subcommands, each with its whole name, and what people read of it. */
function flat(command, read, before = { name: '', label: '' }) {
  const name = `${before.name}${command.name}`;
  const label = `${before.label}${read(command, 'name')}`;
  const inner = (command.options ?? []).filter(({ type }) => type <= 2);
  if (inner.length === 0) return [{ name, label, command }];
  return inner.flatMap((one) => flat(one, read, { name: `${name} `, label: `${label} ` }));
}

function fieldOf(option, command, page) {
  const id = `option-${option.name}`;
  const label = `${page.read(option, 'name')}${option.required ? ' *' : ''}`;
  return element(
    'div',
    { class: 'field' },
    element('label', { for: id, title: page.read(option, 'description') }, label),
    inputOf(option, id, command, page),
  );
}

function inputOf(option, id, command, page) {
  const attributes = { id, 'data-option': option.name, 'data-type': String(option.type) };
  const choices =
    option.type === 5
      ? [
          { name: 'yes', value: true },
          { name: 'no', value: false },
        ]
      : option.choices;
  if (choices?.length > 0)
    return element(
      'select',
      attributes,
      element('option', { value: '' }, '—'),
      ...choices.map((one) => element('option', { value: String(one.value) }, page.read(one, 'name'))),
    );
  if (option.type === 11) return element('input', { ...attributes, type: 'file' });
  const list = element('datalist', { id: `${id}-list` });
  const oninput = async ({ currentTarget }) => {
    const request = {
      user: page.view.person,
      channel: page.view.channel,
      name: command,
      focused: option.name,
    };
    const answer = await ask('complete', { ...request, options: { [option.name]: currentTarget.value } });
    list.replaceChildren(
      ...(answer?.choices ?? []).map(({ name, value }) => element('option', { value }, name)),
    );
  };
  const input = element('input', {
    ...attributes,
    oninput: option.autocomplete ? oninput : undefined,
    type: 'text',
    placeholder: page.read(option, 'description'),
    maxlength: String(option.max_length ?? 6_000),
    autocomplete: 'off',
    list: option.autocomplete ? `${id}-list` : undefined,
  });
  return option.autocomplete ? element('span', {}, input, list) : input;
}

async function valueOf(field) {
  if (field.type === 'file') {
    const [file] = field.files;
    return file && { ...(await uploadOf(file)), contentType: file.type };
  }
  if (field.value === '') return undefined;
  if (field.dataset.type === '5') return field.value === 'true';
  return ['4', '10'].includes(field.dataset.type) ? Number(field.value) : field.value;
}
