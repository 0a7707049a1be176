import { element } from './dom.js';
import { morphChildren } from './morph.js';
import { ask, notice } from './notice.js';
import { blocksView } from './blocks.js';

/** Shows the modal that a person has on top, or none. It is drawn once, so that what is typed stays. */
export function drawModal(state, person) {
  const dialog = document.getElementById('modal');
  const top = [...state.views.values()].filter((one) => one.kind === 'modal' && one.user === person).at(-1);
  const sign = top ? `${top.id}/${top.view.hash}` : '';
  if (dialog.dataset.sign === sign) return;
  dialog.dataset.sign = sign;
  if (!top) return dialog.close();
  morphChildren(dialog, [formOf(state, person, top)]);
  dialog.dataset.person = person;
  if (!dialog.open) dialog.showModal();
}

function formOf(state, person, { id, view: { title, submit, close, blocks = [] } }) {
  const send = async (event) => {
    event.preventDefault();
    const fields = [...event.currentTarget.querySelectorAll('[data-field]')];
    const filled = Object.fromEntries(fields.map((field) => [field.dataset.field, field.value]));
    const outcome = await ask('submit', { user: person, filled });
    if (outcome?.acknowledged === false)
      notice('⚠ Parley did not take the form. You can send it again.', 15_000);
  };
  return element(
    'form',
    // Of another form nothing that was typed stays.
    { 'data-key': id, onsubmit: (event) => void send(event) },
    element('h2', { id: 'modal-title' }, String(title?.text ?? '')),
    ...blocks.flatMap((block) => (block.type === 'input' ? [inputView(block)] : blocksView(state, [block]))),
    element(
      'div',
      { class: 'buttons' },
      submit ? element('button', { type: 'submit', class: 'send' }, String(submit.text)) : undefined,
      element(
        'button',
        { type: 'button', onclick: () => void ask('dismiss', { user: person }) },
        String(close?.text ?? 'Cancel'),
      ),
    ),
  );
}

function inputView({ block_id: id, label, optional, element: input }) {
  return element(
    'label',
    { class: 'field' },
    element('span', {}, `${label?.text ?? ''}${optional ? '' : ' *'}`),
    fieldView(input, { 'data-field': id, required: optional !== true }),
  );
}

function fieldView(input, current) {
  const hint = input.placeholder?.text;
  if (input.type === 'static_select')
    return element(
      'select',
      current,
      element('option', { value: '' }, hint ?? '—'),
      ...(input.options ?? []).map((one) =>
        element(
          'option',
          { value: one.value, selected: input.initial_option?.value === one.value },
          String(one.text?.text),
        ),
      ),
    );
  const maxlength = String(input.max_length ?? 3_000);
  const field = element(input.multiline ? 'textarea' : 'input', {
    ...current,
    maxlength,
    placeholder: hint,
    rows: input.multiline ? '6' : undefined,
  });
  field.value = input.initial_value ?? '';
  return field;
}

// Escape closes a form, which the app is told.
document.getElementById('modal')?.addEventListener('cancel', ({ target }) => {
  void ask('dismiss', { user: target.dataset.person });
});
