import { labelOf } from './attach.js';
import { element } from './dom.js';
import { avatar } from './people.js';

/** `Still sending…` is said after this time: something is slow, and nothing is lost. */
const SLOW_AFTER_MS = 5_000;

/**
 * What people sent and the simulator has not confirmed yet. It stands below the messages as being sent, or as failed
 * with a reason and a way to send it again. Each has an id by which the simulator takes it once, however often it comes.
 */
export function createOutbox(changed) {
  const items = [];
  let last = Promise.resolve();

  const remove = (item) => {
    const at = items.indexOf(item);
    if (at >= 0) items.splice(at, 1);
    changed();
  };
  const run = async (item) => {
    item.since = Date.now();
    const slow = setTimeout(() => changed(), SLOW_AFTER_MS);
    const { error } = await item.send(item.id);
    clearTimeout(slow);
    if (error === undefined) return remove(item);
    item.error = error;
    changed();
  };
  /** One after the other, so that messages stay in the order in which they were written. */
  const queue = (item) => {
    item.error = undefined;
    changed();
    last = last.then(() => run(item));
  };
  return {
    /**
     * Sends something. `place` says below which messages it is shown to `person`; `send` gets the id, and gives back
     * `{error}` with the words for a person if it was not taken. `edit` puts it back to where it was written.
     */
    add({ person, place, text, files = [], send, edit }) {
      const item = { id: randomId(), person, place, text, files, send, edit, error: undefined, since: 0 };
      items.push(item);
      queue(item);
    },
    /** Entries for `drawLog`. `exists` tells of an id whether its message has arrived, which the answer may come after. */
    entries(person, author, place, isThere) {
      for (const item of items.filter(({ id }) => isThere(id))) items.splice(items.indexOf(item), 1);
      return items
        .filter((item) => item.person === person && item.place === place)
        .map((item) => ({
          message: { ts: item.id },
          sign: [item.error, isSlow(item)],
          view: () =>
            itemView(item, author, {
              again: () => queue(item),
              edit: () => {
                remove(item);
                item.edit();
              },
              remove: () => remove(item),
            }),
        }));
    },
  };
}

const isSlow = ({ since }) => since > 0 && Date.now() - since >= SLOW_AFTER_MS;

const button = (words, onclick) => element('button', { type: 'button', 'data-key': words, onclick }, words);

function itemView(item, author, act) {
  const { error } = item;
  const state = error
    ? element(
        'div',
        { class: 'unsent', role: 'alert' },
        element('span', {}, `⚠ Not sent: ${error}`),
        button('Send again', act.again),
        button('Edit', act.edit),
        button('Delete', act.remove),
      )
    : element(
        'p',
        { class: 'faint sending', role: 'status' },
        isSlow(item) ? 'Still sending: this machine has not answered yet…' : 'Sending…',
      );
  return element(
    'article',
    { class: error ? 'message failed' : 'message pending', 'data-ts': item.id },
    avatar(author),
    element(
      'div',
      { class: 'content' },
      element('header', {}, element('strong', {}, author.realName)),
      element('div', { class: 'body', dir: 'auto' }, element('p', { class: 'as-typed' }, item.text)),
      ...item.files.map((file) => element('p', { class: 'faint' }, labelOf(file))),
      state,
    ),
  );
}

/** A UUID (version 4). `crypto.randomUUID` is missing where the page is opened from another machine without TLS. */
function randomId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0'));
  const [a, b, c, d, e] = [
    hex.slice(0, 4),
    hex.slice(4, 6),
    hex.slice(6, 8),
    hex.slice(8, 10),
    hex.slice(10),
  ];
  return [a, b, c, d, e].map((part) => part.join('')).join('-');
}
