import { element, redraw } from './dom.js';

/**
 * Draws a table. `columns`: title, and `cell(row)` with text or an element; `isNumber` aligns it right. The first column names
 * the row. `empty` is what a table without rows says.
 */
export function drawTable(container, { title, rows, columns, empty, isTitleHidden = false }) {
  redraw(container, [rows, title], () => [
    ...(isTitleHidden ? [] : [element('h3', {}, title)]),
    rows.length === 0 ? element('p', { class: 'hint' }, empty) : renderTable(title, rows, columns),
  ]);
}

function renderTable(title, rows, columns) {
  const head = columns.map((column) =>
    element('th', { scope: 'col', class: getColumnClass(column) }, column.title),
  );
  const body = rows.map((row) =>
    element(
      'tr',
      {},
      ...columns.map((column, index) =>
        element(
          index === 0 ? 'th' : 'td',
          { class: getColumnClass(column), ...(index === 0 && { scope: 'row' }) },
          column.cell(row),
        ),
      ),
    ),
  );
  const table = element(
    'table',
    {},
    element('caption', { class: 'hidden' }, title),
    element('thead', {}, element('tr', {}, ...head)),
    element('tbody', {}, ...body),
  );
  // Wide tables scroll in their own box, which the keyboard can reach.
  return element('div', { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': title }, table);
}

const getColumnClass = ({ isNumber }) => (isNumber ? 'number' : undefined);

/** What an empty table says: `text`, or that its rows were not read. */
export const emptyText = ({ unread }, part, text) =>
  unread.includes(part) ? 'Not read: the top of the page says why.' : text;

/** The box of a table with this name in a group of tables. */
export function getOrCreateBox(group, name) {
  const known = group.querySelector(`[data-table="${name}"]`);
  if (known) return known;
  const box = element('div', { 'data-table': name });
  group.append(box);
  return box;
}

/** A gauge with its numbers as text. */
export const gauge = (value, max, label) =>
  element(
    'span',
    { class: 'gauge' },
    element('meter', {
      min: 0,
      max,
      value,
      low: max * 0.6,
      high: max * 0.9,
      optimum: 0,
      'aria-label': label,
    }),
    ` ${value} of ${max}`,
  );
