import { element, outside } from './dom.js';
import { parseMarkdown } from './markdown.js';
import { authorOf } from './people.js';

/** The level of the headings in messages that stand highest: above them are those of the page and of the channel. */
const HIGHEST = 3;

/** Elements for words in Markdown, in Slack's own mrkdwn, or in Discord's Markdown. */
export const wordsView = (state, text, dialect) =>
  render(
    state,
    withoutGaps(parseMarkdown(String(text), dialect)),
    dialect === 'markdown' ? undefined : 'as-typed',
  );

/** Whoever reads by headings expects no level to be left out, whatever the model wrote. */
function withoutGaps(blocks) {
  const open = [];
  return blocks.map((block) => {
    if (block.kind !== 'heading') return block;
    while (open.length > 0 && open.at(-1) >= block.level) open.pop();
    open.push(block.level);
    return { ...block, level: Math.min(6, HIGHEST + open.length - 1) };
  });
}

/** Elements for a tree of `parseMarkdown`. Blanks that a person typed count, in Markdown they do not: `looks` says which. */
function render(state, blocks, looks) {
  return blocks.map((block) => {
    switch (block.kind) {
      case 'heading':
        return element(`h${block.level}`, {}, ...inline(state, block.parts));
      case 'fence':
        return element(
          'pre',
          { tabindex: '0', 'data-language': block.language || undefined },
          element('code', {}, block.text),
        );
      case 'quote':
        return element('blockquote', {}, ...render(state, withoutGaps(block.blocks), looks));
      case 'rule':
        return element('hr');
      case 'table':
        return tableView(state, block);
      case 'list':
        return listView(state, block);
      case 'small':
        return element('p', { class: 'faint' }, ...inline(state, block.parts));
      default:
        return element('p', { class: looks }, ...inline(state, block.parts));
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

const TAGS = { strike: 's', underline: 'u' };

const roleName = (state, id) =>
  [...state.guilds.values()].flatMap(({ roles = [] }) => roles).find((role) => role.id === id)?.name ??
  'role';

/** Words that are shown once somebody asks for them. */
const spoilerView = (state, { parts }) =>
  element(
    'button',
    {
      type: 'button',
      class: 'spoiler',
      title: 'Spoiler: press to show it',
      onclick: ({ currentTarget }) => (currentTarget.dataset.keptShown = 'yes'),
    },
    ...inline(state, parts),
  );

/** How much of the date and of the time each style shows. */
const STYLES = {
  t: [undefined, 'short'],
  T: [undefined, 'medium'],
  d: ['short', undefined],
  D: ['long', undefined],
  f: ['long', 'short'],
  F: ['full', 'short'],
};
const DAY_MS = 86_400_000;

/** A moment as Discord shows `<t:…>`: in the reader's own time zone, or (`R`) by how far away it is. */
function timeOf({ at, style }) {
  if (style !== 'R') {
    const [dateStyle, timeStyle] = STYLES[style] ?? STYLES.f;
    return new Intl.DateTimeFormat([], { dateStyle, timeStyle }).format(at);
  }
  const away = at - Date.now();
  const [unit, size] =
    Math.abs(away) < 60_000
      ? ['second', 1_000]
      : Math.abs(away) < 3_600_000
        ? ['minute', 60_000]
        : Math.abs(away) < DAY_MS
          ? ['hour', 3_600_000]
          : ['day', DAY_MS];
  return new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(Math.round(away / size), unit);
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
        return element('span', { class: 'mention-mark' }, part.label ?? `@${part.id.split('^')[0]}`);
      case 'role':
        return element('span', { class: 'mention-mark' }, `@${roleName(state, part.id)}`);
      case 'command':
        return element(
          'button',
          { type: 'button', class: 'mention-mark command', 'data-command': part.id },
          `/${part.id}`,
        );
      case 'time':
        return element('time', { datetime: new Date(part.at).toISOString() }, timeOf(part));
      case 'spoiler':
        return spoilerView(state, part);
      default:
        return element(TAGS[part.kind] ?? part.kind, {}, ...inline(state, part.parts));
    }
  });
}
