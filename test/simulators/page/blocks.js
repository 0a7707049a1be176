import { element, outside, webAddress } from './dom.js';
import { wordsView } from './render.js';
import { richView } from './rich.js';
import { thumbView } from './thumb.js';

/** The blocks of Block Kit that bots send; others are named. `press` is told of buttons: block, element, value. */
export function blocksView(state, blocks, press) {
  return blocks.map((block, index) =>
    blockView(state, block, (nth, value) => press?.(index, nth, value), index),
  );
}

function blockView(state, block, press, index) {
  const view = VIEWS[block.type];
  return view ? view(state, block, press, index) : element('p', { class: 'faint' }, `[${block.type}]`);
}

/** How each type is drawn. */
const VIEWS = {
  divider: () => element('hr'),
  header: (_state, { text }) => element('h3', {}, String(text?.text ?? '')),
  section: sectionView,
  context: (state, { elements = [] }) =>
    element(
      'div',
      { class: 'context' },
      ...elements.flatMap((one) => (one.type === 'image' ? [pictureView(one)] : textView(state, one))),
    ),
  markdown: (state, { text = '' }) => element('div', {}, ...wordsView(state, text, 'markdown')),
  rich_text: (state, block) => element('div', {}, ...richView(state, block)),
  table: tableView,
  data_table: tableView,
  image: (_state, block) => element('p', {}, pictureView(block)),
  actions: (_state, block, press, index) => buttonsView('buttons', block, press, index),
  context_actions: (_state, block, press, index) => buttonsView('buttons small', block, press, index),
  task_card: taskView,
  plan: (state, { title, tasks = [] }) =>
    planView(
      title,
      tasks.map((task) => taskView(state, task)),
    ),
};

const buttonsView = (looks, { elements = [] }, press, index) =>
  element(
    'div',
    { class: looks, role: 'group' },
    ...elements.flatMap((one, nth) => controls(one, index, nth, press)),
  );

function textView(state, object) {
  if (object?.type === 'plain_text') return [element('p', {}, String(object.text ?? ''))];
  return wordsView(state, object?.text ?? '', 'mrkdwn');
}

function sectionView(state, block, press, index) {
  const words = block.text ? textView(state, block.text) : [];
  const fields = (block.fields ?? []).map((one) => element('div', {}, ...textView(state, one)));
  return element(
    'div',
    { class: 'section' },
    element(
      'div',
      {},
      ...words,
      fields.length > 0 ? element('div', { class: 'fields' }, ...fields) : undefined,
    ),
    ...(block.accessory ? controls(block.accessory, index, 0, press, block.text?.text) : []),
  );
}

/** Pictures from elsewhere are not loaded: this page talks to its own machine alone. */
function pictureView({ image_url: url, alt_text: alt, title }) {
  const words = alt || title?.text || 'Picture';
  return outside(url, `🖼 ${words}${webAddress(url) ? ` (${new URL(url).host})` : ''}`);
}

/**
 * What can be pressed. A pair of thumbs is two. `data-key` finds the same control after a redraw, `label` names one that
 * has no words of its own.
 */
function controls(one, index, nth, press, label) {
  const key = `${index}/${nth}`;
  if (one.type === 'image') return [pictureView(one)];
  if (one.type === 'feedback_buttons') {
    const thumb = (button, side) => {
      const value = String(button?.value ?? '');
      const words = button?.accessibility_label ?? button?.text?.text ?? side;
      const attributes = {
        title: words,
        'aria-label': words,
        'aria-pressed': 'false',
        'data-key': `${key}/${value}`,
      };
      const onclick = () => press(nth, value);
      return element('button', { type: 'button', class: 'thumb', ...attributes, onclick }, thumbView(side));
    };
    return [thumb(one.positive_button, 'up'), thumb(one.negative_button, 'down')];
  }
  if (one.type === 'static_select') {
    const options = (one.options ?? []).map(({ text, value }) =>
      element(
        'option',
        { value, selected: one.initial_option?.value === value },
        String(text?.text ?? value),
      ),
    );
    const first = one.initial_option
      ? undefined
      : element('option', { value: '' }, String(one.placeholder?.text ?? '—'));
    const attributes = { 'aria-label': String(label ?? one.placeholder?.text ?? 'Choose') };
    const onchange = ({ currentTarget }) => press(nth, currentTarget.value);
    return [element('select', { 'data-key': key, ...attributes, onchange }, first, ...options)];
  }
  const works = one.type === 'button' || one.type === 'icon_button';
  const words = String(one.text?.text ?? one.placeholder?.text ?? one.type);
  const looks = ['primary', 'danger'].includes(one.style) ? one.style : undefined;
  const ariaLabel = one.accessibility_label;
  const onclick = () => press(nth);
  const props = { 'data-key': key, 'aria-label': ariaLabel, title: works ? undefined : 'Not simulated' };
  return [element('button', { type: 'button', class: looks, disabled: !works, ...props, onclick }, words)];
}

function tableView(state, { rows = [], column_settings: columns = [], caption }) {
  const cell = (one, column, name) => {
    const { align, is_wrapped: wrapped } = columns[column] ?? {};
    const looks = [['right', 'center'].includes(align) ? align : '', wrapped ? 'wrapped' : '']
      .filter(Boolean)
      .join(' ');
    const inside = one.type === 'rich_text' ? richView(state, one) : [String(one.text ?? one.value ?? '')];
    return element(name, { class: looks || undefined }, ...inside);
  };
  const row = (cells, name) => element('tr', {}, ...cells.map((one, column) => cell(one, column, name)));
  const [head = [], ...rest] = rows;
  const table = element(
    'table',
    {},
    caption ? element('caption', {}, String(caption)) : undefined,
    element('thead', {}, row(head, 'th')),
    element('tbody', {}, ...rest.map((cells) => row(cells, 'td'))),
  );
  return element('div', { class: 'table', tabindex: '0' }, table);
}

const MARKS = { pending: '○', in_progress: '', complete: '✓', error: '!' };
const STATES = { pending: 'waiting', in_progress: 'running', complete: 'done', error: 'failed' };

/** A step of the work. With details it opens. `details` and `output` are rich text, or plain words in a stream. */
export function taskView(state, { title, status, details, output, sources }) {
  const words = (value) =>
    typeof value === 'string' ? wordsView(state, value, 'markdown') : richView(state, value);
  const inside = [details, output].filter(Boolean).map((value) => element('div', {}, ...words(value)));
  if (sources?.length > 0)
    inside.push(
      element(
        'ul',
        {},
        ...sources.map(({ url, text }) => element('li', {}, outside(url, String(text ?? url)))),
      ),
    );
  const head = [
    element(
      'span',
      { class: `mark ${status}`, role: 'img', 'aria-label': STATES[status] },
      MARKS[status] ?? '',
    ),
    element('span', {}, String(title)),
  ];
  if (inside.length === 0)
    return element('div', { class: 'task-card' }, element('div', { class: 'task-head' }, ...head));
  return element(
    'details',
    { class: 'task-card', open: status === 'error' },
    element('summary', { class: 'task-head' }, ...head),
    element('div', { class: 'task-body' }, ...inside),
  );
}

export const planView = (title, tasks) =>
  element('section', { class: 'plan' }, element('p', {}, element('strong', {}, String(title))), ...tasks);
