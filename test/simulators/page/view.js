import { parseMarkdown } from './markdown.js';
import { isStreaming, statusOf } from './workspace.js';

/** Builds an element. Text is only ever set as text: nothing that people or models write becomes HTML. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (key === 'onclick') made.addEventListener('click', value);
    else made.setAttribute(key, value === true ? '' : value);
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** One message with its author, time, words, cards, reactions and, in a channel, the way into its thread. */
export function messageView(state, message, { replies, openThread, now }) {
  const author = authorOf(state, message.user);
  const streaming = isStreaming(message, now);
  const body = element('div', { class: 'body', dir: 'auto' });
  if (message.tombstone) body.append(element('p', { class: 'faint' }, 'This message was deleted.'));
  else body.append(...contentOf(state, message));
  if (streaming)
    (deepestLast(body) ?? body).append(element('span', { class: 'caret', 'aria-hidden': 'true' }));
  return element(
    'article',
    {
      class: message.ephemeralTo ? 'message only-you' : 'message',
      'data-ts': message.ts,
      'aria-busy': String(streaming),
    },
    avatar(author),
    element(
      'div',
      { class: 'content' },
      element(
        'header',
        {},
        element('strong', {}, author.realName),
        author.isBot ? element('span', { class: 'app-mark' }, 'APP') : undefined,
        timeOf(message.ts),
        message.ephemeralTo ? element('span', { class: 'faint' }, 'Only visible to you') : undefined,
      ),
      stepsOf(message),
      body,
      message.editedAt && !message.tombstone && !message.stream
        ? element('span', { class: 'faint' }, '(edited)')
        : undefined,
      reactionsOf(message),
      openThread ? threadButton(state, message, replies, openThread, now) : undefined,
    ),
  );
}

/** The words under a thread while the bot prepares its answer. */
export function statusView(state, status) {
  const words = status.loading.length > 0 ? status.loading[0] : `${state.bot.name} ${status.words}`;
  return [
    element('span', { class: 'dots', 'aria-hidden': 'true' }, element('i'), element('i'), element('i')),
    words,
  ];
}

export function avatar(author) {
  if (author.isBot)
    return element('img', { class: 'avatar', src: '/page/icon.svg', alt: '', width: '36', height: '36' });
  return element(
    'span',
    { class: `avatar tone-${author.tone}`, 'aria-hidden': 'true' },
    author.realName[0] ?? '?',
  );
}

/** Who wrote: a person or the bot. */
export function authorOf(state, id) {
  if (id === state.bot.id) return { realName: 'Parley', name: state.bot.name, isBot: true, tone: 0 };
  const index = state.users.findIndex((user) => user.id === id);
  if (index < 0) return { realName: 'Slack', name: 'slack', isBot: false, tone: 2 };
  return {
    realName: state.users[index].realName,
    name: state.users[index].name,
    isBot: false,
    tone: index % 3,
  };
}

function threadButton(state, message, replies, openThread, now) {
  const status = statusOf(state, message.channel, message.ts, now);
  const last = replies.at(-1);
  const open = () => openThread(message.ts);
  if (status && !last)
    return element(
      'button',
      { type: 'button', class: 'replies', onclick: open },
      ...statusView(state, status),
    );
  if (!last)
    return element('button', { type: 'button', class: 'replies none', onclick: open }, 'Reply in thread');
  const count = replies.length === 1 ? '1 reply' : `${replies.length} replies`;
  const writing = replies.some((reply) => isStreaming(reply, now));
  const note = writing ? `${state.bot.name} is writing…` : `last ${clock(last.ts)}`;
  return element(
    'button',
    { type: 'button', class: 'replies', onclick: open },
    element('b', {}, count),
    element('span', { class: 'faint' }, note),
  );
}

function contentOf(state, message) {
  const blocks = message.blocks ?? [];
  const own = message.markdown || (message.text !== '' && blocks.length === 0);
  const words = own
    ? render(state, parseMarkdown(message.text, message.markdown ? 'markdown' : 'mrkdwn'))
    : [];
  return [...words, ...blocks.map((block) => blockView(state, block))];
}

/** The blocks that bots send most; others are named. */
function blockView(state, block) {
  const text = (object, dialect = 'mrkdwn') =>
    render(state, parseMarkdown(String(object?.text ?? object ?? ''), dialect));
  switch (block.type) {
    case 'divider':
      return element('hr');
    case 'header':
      return element('h3', {}, String(block.text?.text ?? ''));
    case 'section':
      return element(
        'div',
        {},
        ...[block.text, ...(block.fields ?? [])].filter(Boolean).flatMap((one) => text(one)),
      );
    case 'context':
      return element(
        'div',
        { class: 'context' },
        ...(block.elements ?? []).flatMap((one) => (one.text ? text(one) : [])),
      );
    case 'markdown':
      return element('div', {}, ...text(block.text, 'markdown'));
    case 'actions':
      return element(
        'div',
        { class: 'buttons' },
        ...(block.elements ?? []).map((one) =>
          element('button', { type: 'button', disabled: true }, String(one.text?.text ?? one.type)),
        ),
      );
    default:
      return element('p', { class: 'faint' }, `[${block.type}]`);
  }
}

function stepsOf(message) {
  if (!message.steps?.length) return undefined;
  const marks = { pending: '○', in_progress: '◐', complete: '✓', error: '!' };
  return element(
    'ul',
    { class: 'steps' },
    ...message.steps.map((step) =>
      element(
        'li',
        { class: step.status },
        element('span', { 'aria-label': step.status.replace('_', ' ') }, marks[step.status]),
        step.title,
        step.output || step.details
          ? element('span', { class: 'faint' }, step.output ?? step.details)
          : undefined,
      ),
    ),
  );
}

function reactionsOf(message) {
  if (!message.reactions?.length) return undefined;
  const signs = {
    eyes: '👀',
    hourglass_flowing_sand: '⏳',
    white_check_mark: '✅',
    warning: '⚠️',
    '+1': '👍',
  };
  const chips = message.reactions.map((one) =>
    element('li', { title: `:${one.name}:` }, `${signs[one.name] ?? `:${one.name}:`} ${one.users.length}`),
  );
  return element('ul', { class: 'reactions', 'aria-label': 'Reactions' }, ...chips);
}

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

function inline(state, parts) {
  return parts.map((part) => {
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
          element(
            'a',
            { href: part.href, target: '_blank', rel: 'noopener noreferrer nofollow' },
            ...inline(state, part.parts),
          ),
          part.host ? element('span', { class: 'faint' }, ` (${part.host})`) : undefined,
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

/** Where the writing goes on: the last line of the last block. */
function deepestLast(body) {
  let last = body.lastElementChild;
  while (last?.lastElementChild && !['P', 'CODE', 'H3', 'H4', 'H5', 'H6', 'TD'].includes(last.tagName))
    last = last.lastElementChild;
  return last;
}

const dateOf = (ts) => new Date(Number(ts.split('.')[0]) * 1000);
const clock = (ts) => dateOf(ts).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });

function timeOf(ts) {
  const date = dateOf(ts);
  const today = date.toDateString() === new Date().toDateString();
  const words = today
    ? clock(ts)
    : `${date.toLocaleDateString([], { day: 'numeric', month: 'short' })}, ${clock(ts)}`;
  return element('time', { datetime: date.toISOString(), title: date.toLocaleString() }, words);
}
