import { element, outside } from './dom.js';
import { parseMarkdown } from './markdown.js';
import { authorOf } from './people.js';

/** Elements for words in Markdown, or in Slack's own mrkdwn. */
export const wordsView = (state, text, dialect) => render(state, parseMarkdown(String(text), dialect));

/** Elements for a tree of `parseMarkdown`. */
function render(state, blocks) {
  return blocks.map((block) => {
    switch (block.kind) {
      case 'heading':
        return element(`h${Math.min(6, block.level + 2)}`, {}, ...inline(state, block.parts));
      case 'fence':
        return element(
          'pre',
          { tabindex: '0', 'data-language': block.language || undefined },
          element('code', {}, block.text),
        );
      case 'quote':
        return element('blockquote', {}, ...render(state, block.blocks));
      case 'rule':
        return element('hr');
      case 'table':
        return tableView(state, block);
      case 'list':
        return listView(state, block);
      default:
        return element('p', {}, ...inline(state, block.parts));
    }
  });
}

function listView(state, list) {
  const items = list.items.map((item) =>
    element(
      'li',
      { class: item.done === undefined ? undefined : 'task' },
      ...(item.done === undefined ? [] : [item.done ? '☑ ' : '☐ ']),
      ...inline(state, item.parts),
      ...item.lists.map((inner) => listView(state, inner)),
    ),
  );
  return list.ordered ? element('ol', { start: String(list.start) }, ...items) : element('ul', {}, ...items);
}

function tableView(state, { head, rows }) {
  const row = (cells, name) =>
    element('tr', {}, ...cells.map((cell) => element(name, {}, ...inline(state, cell))));
  const table = element(
    'table',
    {},
    element('thead', {}, row(head, 'th')),
    element('tbody', {}, ...rows.map((one) => row(one, 'td'))),
  );
  return element('div', { class: 'table', tabindex: '0' }, table);
}

/** The bot names the host itself; of others' links the page does. */
const saysHost = (next, host) => next?.kind === 'text' && next.text.startsWith(` (${host})`);

function inline(state, parts) {
  return parts.map((part, n) => {
    switch (part.kind) {
      case 'text':
        return part.text;
      case 'break':
        return element('br');
      case 'code':
        return element('code', {}, part.text);
      case 'link':
        return element(
          'span',
          {},
          outside(part.href, ...inline(state, part.parts)),
          part.host && !saysHost(parts[n + 1], part.host)
            ? element('span', { class: 'faint' }, ` (${part.host})`)
            : undefined,
        );
      case 'user':
        return element('span', { class: 'mention-mark' }, `@${authorOf(state, part.id).name}`);
      case 'channel':
        return element('span', { class: 'mention-mark' }, `#${state.channels.get(part.id)?.name ?? part.id}`);
      case 'special':
        return element('span', { class: 'mention-mark' }, `@${part.id.split('^')[0]}`);
      default:
        return element(part.kind === 'strike' ? 's' : part.kind, {}, ...inline(state, part.parts));
    }
  });
}
