import { element, outside, webAddress } from './dom.js';
import { fileView } from './files.js';
import { wordsView } from './render.js';
import { thumbView } from './thumb.js';

/** Words as Discord shows them. */
export const words = (state, text) => wordsView(state, text ?? '', 'discord');

const THUMBS = { '👍': ['up', 'Thumbs up'], '👎': ['down', 'Thumbs down'] };
const STYLES = { 1: 'primary', 3: 'success', 4: 'danger' };

/** Components of a message. `press` is told of a `custom_id`, and of what was picked. */
export function cardsView(state, message, press) {
  const view = (one) => VIEWS[one.type]?.(one) ?? element('p', { class: 'faint' }, `[component ${one.type}]`);
  const all = (list) => (list ?? []).map(view);
  const VIEWS = {
    1: (row) => element('div', { class: 'buttons' }, ...all(row.components)),
    2: (button) => buttonView(button, press),
    3: (menu) => menuOf(menu, menu.options, press),
    5: (menu) => menuOf(menu, peopleOf(state), press),
    9: (section) =>
      element(
        'div',
        { class: 'section' },
        element('div', {}, ...all(section.components)),
        ...(section.accessory ? [view(section.accessory)] : []),
      ),
    10: (text) => element('div', {}, ...words(state, text.content)),
    11: ({ media, description }) => mediaView(state, message, media, description),
    12: ({ items }) =>
      element(
        'div',
        { class: 'gallery' },
        ...items.map(({ media, description }) => mediaView(state, message, media, description)),
      ),
    13: ({ file }) => mediaView(state, message, file),
    14: ({ divider }) => (divider === false ? element('div', { class: 'gap' }) : element('hr')),
    17: (box) => {
      const container = element('div', { class: 'container' }, ...all(box.components));
      if (typeof box.accent_color === 'number')
        container.style.borderLeftColor = `#${box.accent_color.toString(16).padStart(6, '0')}`;
      return container;
    },
  };
  return all(message.components);
}

const peopleOf = (state) => state.users.map(({ id, realName }) => ({ value: id, label: realName }));

function buttonView(button, press) {
  const label = [button.emoji?.name, button.label].filter(Boolean).join(' ');
  if (button.style === 5) return outside(button.url, `${label} ↗`);
  const [side, spoken] = THUMBS[label] ?? [];
  return element(
    'button',
    {
      type: 'button',
      class: STYLES[button.style],
      disabled: button.disabled === true,
      'data-key': button.custom_id,
      'aria-label': spoken,
      title: spoken,
      onclick: () => press(button.custom_id),
    },
    side ? thumbView(side) : label,
  );
}

function menuOf(menu, options, press) {
  const none = element('option', { value: '', disabled: true }, menu.placeholder ?? 'Choose');
  const many = (menu.max_values ?? 1) > 1;
  const onchange = ({ currentTarget }) =>
    press(
      menu.custom_id,
      [...currentTarget.selectedOptions].map(({ value }) => value),
    );
  const select = element(
    'select',
    { 'aria-label': menu.placeholder ?? 'Choose', 'data-key': menu.custom_id, multiple: many, onchange },
    ...(many ? [] : [none]),
    ...(options ?? []).map((one) =>
      element('option', { value: one.value, selected: one.default === true }, one.label),
    ),
  );
  if (!many && !(options ?? []).some((one) => one.default)) none.selected = true;
  return select;
}

function mediaView(state, message, media, description) {
  const name = /^attachment:\/\/(.+)$/.exec(media?.url ?? '')?.[1];
  const id = message.files.find((one) => state.files.get(one)?.filename === name);
  if (id) return fileOf(state, id);
  return webAddress(media?.url) ? outside(media.url, `🖼 ${description ?? media.url}`) : element('span');
}

/** A file that hangs on a message. */
export function fileOf(state, id) {
  const file = state.files.get(id);
  if (!file) return element('p', { class: 'faint' }, 'This file is gone.');
  const { filename: name, size, description: alt, durationSecs, contentType } = file;
  const kind = contentType.split('/')[0];
  return fileView({
    id,
    name,
    size,
    kind,
    alt,
    durationMs: durationSecs === undefined ? undefined : durationSecs * 1_000,
  });
}

/** An embed: a card with a title, words and fields. */
export const embedView = (state, embed) =>
  element(
    'div',
    { class: 'container' },
    embed.title
      ? element('strong', {}, embed.url ? outside(embed.url, embed.title) : embed.title)
      : undefined,
    ...words(state, embed.description),
    ...(embed.fields ?? []).map(({ name, value }) =>
      element('div', {}, element('strong', {}, name), ...words(state, value)),
    ),
    embed.footer?.text ? element('p', { class: 'faint' }, embed.footer.text) : undefined,
  );
