import { element } from './dom.js';
import { sizeOf } from './files.js';

/** The most that is sent with one message, all files together, in bytes. */
const MOST = 25_000_000;
const FILES_MOST = 10;

/** What waits to be sent with the next message of a form. */
const waiting = new WeakMap();
export const filesIn = (form) => waiting.get(form) ?? [];

/** Lets files be chosen, dropped or pasted into a form. `tell` says what was refused. */
export function startAttaching(form, tell) {
  const input = form.querySelector('input[type=file]');
  form.querySelector('[data-attach]').addEventListener('click', () => input.click());
  input.addEventListener('change', () => {
    addFiles(form, input.files, tell);
    input.value = '';
  });
  const pane = form.closest('.pane');
  const over = (event) => {
    if (![...event.dataTransfer.types].includes('Files')) return;
    event.preventDefault();
    pane.classList.toggle('dropping', event.type === 'dragover');
  };
  pane.addEventListener('dragover', over);
  pane.addEventListener('dragleave', () => pane.classList.remove('dropping'));
  pane.addEventListener('drop', (event) => {
    over(event);
    addFiles(form, event.dataTransfer.files, tell);
  });
  form.addEventListener('paste', (event) => {
    if (event.clipboardData.files.length === 0) return;
    event.preventDefault();
    addFiles(form, event.clipboardData.files, tell);
  });
}

/** Adds files to the next message of a form, if there is room for them. `tell` says why not. */
export function addFiles(form, files, tell) {
  const all = [...filesIn(form), ...files];
  const size = all.reduce((sum, file) => sum + file.size, 0);
  if (size > MOST) return tell(`Not attached: together more than ${sizeOf(MOST)}.`);
  if (all.length > FILES_MOST) return tell(`Not attached: more than ${FILES_MOST} files.`);
  setFiles(form, all);
  form.querySelector('textarea').focus();
}

export function setFiles(form, files) {
  waiting.set(form, files);
  const chips = files.map((file) =>
    element(
      'li',
      {},
      labelOf(file),
      element(
        'button',
        {
          type: 'button',
          'aria-label': `Remove ${file.name}`,
          onclick: () =>
            setFiles(
              form,
              filesIn(form).filter((one) => one !== file),
            ),
        },
        '×',
      ),
    ),
  );
  const list = form.querySelector('.attached');
  list.replaceChildren(...chips);
  list.hidden = files.length === 0;
}

/** Takes the files out of a form. */
export function takeFiles(form) {
  const files = filesIn(form);
  setFiles(form, []);
  return files;
}

/** What a file is called while it waits; a voice message is not made yet. */
export const labelOf = ({ name, size, spoken }) => (spoken ? name : `${name} · ${sizeOf(size)}`);

/** A file as the simulator takes it. */
export async function uploadOf(file) {
  if (file.spoken) return { spoken: file.spoken };
  const url = await new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result : ''));
    reader.addEventListener('error', () => reject(reader.error));
    reader.readAsDataURL(file);
  });
  return { name: file.name, content: url.slice(url.indexOf(',') + 1) };
}
