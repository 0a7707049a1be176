import { addFiles } from './attach.js';
import { element } from './dom.js';

/** As long as the simulator takes. */
const MOST = 1_000;

const area = () =>
  element('textarea', { name: 'spoken', required: true, maxlength: String(MOST), rows: '4' });

/**
 * Lets a person say something: a form takes the words, and the simulator makes a recording of them that the simulated
 * models understand. It waits with the other files of the message.
 */
export function startVoice(form, dialog, tell) {
  const send = (event) => {
    event.preventDefault();
    const spoken = new FormData(event.currentTarget).get('spoken').trim();
    dialog.close();
    addFiles(form, [{ name: `Voice message: “${spoken}”`, size: 0, spoken }], tell);
  };
  const open = () => {
    dialog.replaceChildren(
      element(
        'form',
        { onsubmit: send },
        element('h2', { id: dialog.getAttribute('aria-labelledby') }, 'Voice message'),
        element('label', { class: 'field' }, element('span', {}, 'What do you say? *'), area()),
        element(
          'p',
          { class: 'faint' },
          'It becomes a recording in which each letter is a tone: the simulated models understand these words, and no others. A recording of your own can be attached as a file, for real models.',
        ),
        element(
          'div',
          { class: 'buttons' },
          element('button', { type: 'submit', class: 'send' }, 'Add'),
          element('button', { type: 'button', onclick: () => dialog.close() }, 'Cancel'),
        ),
      ),
    );
    dialog.showModal();
  };
  form.querySelector('[data-voice]').addEventListener('click', open);
}
