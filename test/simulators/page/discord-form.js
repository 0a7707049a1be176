import { uploadOf } from './attach.js';
import { element } from './dom.js';
import { ask } from './notice.js';
import { words } from './discord-cards.js';

/** Shows the form (modal) that an interaction was answered with. */
export function openForm(state, interaction, person, report) {
  const dialog = document.getElementById('form');
  const { title, components = [] } = interaction.shown;
  const send = async (event) => {
    event.preventDefault();
    const filled = {};
    for (const field of dialog.querySelectorAll('[data-field]'))
      filled[field.dataset.field] = await valueOf(field);
    const outcome = await ask('submit', { user: person, interaction: interaction.id, filled });
    if (outcome === undefined) return;
    dialog.close();
    report(outcome);
  };
  dialog.replaceChildren(
    element(
      'form',
      { onsubmit: (event) => void send(event) },
      element('h2', { id: 'form-title' }, String(title ?? '')),
      ...components.map((part) => partView(state, part)),
      element(
        'div',
        { class: 'buttons' },
        element('button', { type: 'submit', class: 'send' }, 'Submit'),
        element('button', { type: 'button', onclick: () => dialog.close() }, 'Cancel'),
      ),
    ),
  );
  dialog.showModal();
}

function partView(state, part) {
  if (part.type === 10) return element('div', {}, ...words(state, part.content));
  const field = part.component ?? part.components?.[0] ?? {};
  return element(
    'label',
    { class: 'field' },
    element('span', {}, `${part.label ?? field.label ?? ''}${field.required === false ? '' : ' *'}`),
    part.description ? element('span', { class: 'faint' }, part.description) : undefined,
    fieldView(state, field),
  );
}

function fieldView(state, field) {
  const attributes = { 'data-field': field.custom_id, required: field.required !== false };
  const options = field.options ?? state.users.map(({ id, realName }) => ({ value: id, label: realName }));
  switch (field.type) {
    case 4: {
      const input = element(field.style === 2 ? 'textarea' : 'input', {
        ...attributes,
        placeholder: field.placeholder,
        maxlength: String(field.max_length ?? 4_000),
        rows: field.style === 2 ? '6' : undefined,
      });
      input.value = field.value ?? '';
      return input;
    }
    case 19:
      return element('input', { ...attributes, type: 'file', multiple: (field.max_values ?? 1) > 1 });
    case 23:
      return element('input', {
        'data-field': field.custom_id,
        type: 'checkbox',
        checked: field.default === true,
      });
    default: {
      const many = field.type === 22 || (field.max_values ?? 1) > 1;
      return element(
        'select',
        { ...attributes, multiple: many },
        ...(many ? [] : [element('option', { value: '' }, field.placeholder ?? '—')]),
        ...options.map((one) =>
          element('option', { value: one.value, selected: one.default === true }, one.label),
        ),
      );
    }
  }
}

async function valueOf(field) {
  if (field.type === 'file')
    return await Promise.all(
      [...field.files].map(async (file) => ({ ...(await uploadOf(file)), contentType: file.type })),
    );
  if (field.type === 'checkbox') return field.checked;
  return field.multiple ? [...field.selectedOptions].map(({ value }) => value) : field.value;
}
