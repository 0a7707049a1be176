import { cardsView, embedView, fileView, words } from './discord-cards.js';
import { commandsIn, inChannel, momentOf, typedAgain } from './discord-state.js';
import { element } from './dom.js';
import { editView } from './menu.js';
import { authorOf, avatar } from './people.js';

const THINKING = 128;
const VOICE = 8192;

/** One message, with what it answers, holds, and what can be done with it. */
export function messageView(state, message, { person, editing, act }) {
  const author = authorOf(state, message.author);
  const mine = message.author === person;
  const body = element('div', { class: 'body', dir: 'auto' });
  if (mine && editing)
    body.append(editView(state, { ...message, text: typedAgain(state, message.content) }, act));
  else body.append(...contentOf(state, message, act));
  return element(
    'article',
    {
      class: message.ephemeralTo ? 'message only-you' : 'message',
      'data-ts': message.id,
      'aria-busy': String((message.flags & THINKING) !== 0),
    },
    avatar(author),
    element(
      'div',
      { class: 'content' },
      originOf(state, message),
      element(
        'header',
        {},
        element('strong', {}, author.realName),
        author.isBot ? element('span', { class: 'app-mark' }, 'APP') : undefined,
        timeOf(message.id),
        message.editedAt ? element('span', { class: 'faint' }, '(edited)') : undefined,
      ),
      body,
      reactionsOf(message, person, act),
      threadOf(state, message, act),
      message.ephemeralTo ? element('p', { class: 'faint' }, 'Only you can see this') : undefined,
    ),
    menuOf(state, message, mine, act),
  );
}

function contentOf(state, message, act) {
  if ((message.flags & THINKING) !== 0)
    return [
      element(
        'p',
        { class: 'faint' },
        'Parley is thinking ',
        element('span', { class: 'dots' }, ...[1, 2, 3].map(() => element('i'))),
      ),
    ];
  if (message.type === 21)
    return [
      element('p', { class: 'faint' }, 'The thread began with a message of the channel:'),
      ...startOf(state, message),
    ];
  const held = message.snapshot;
  const v2 = (message.flags & 32_768) !== 0;
  return [
    message.flags & VOICE ? element('p', { class: 'faint' }, 'Voice message') : undefined,
    held
      ? element(
          'blockquote',
          {},
          element('p', { class: 'faint' }, '↱ Forwarded'),
          ...words(state, held.content),
          ...held.files.map((id) => fileView(state, id)),
        )
      : undefined,
    ...words(state, message.content),
    ...message.embeds.map((embed) => embedView(state, embed)),
    ...(v2 ? [] : message.files.map((id) => fileView(state, id))),
    ...cardsView(state, message, (customId, values) => act.press(message, customId, values)),
  ].filter(Boolean);
}

const startOf = (state, { reference }) => {
  const root = reference && inChannel(state, reference.channel).get(reference.message);
  return root ? [element('blockquote', {}, ...words(state, root.content))] : [];
};

/** What a message answers: a command, or another message. */
function originOf(state, message) {
  const asked = message.interaction && state.interactions.get(message.interaction);
  if (asked?.name)
    return element(
      'p',
      { class: 'origin' },
      `${authorOf(state, asked.user).realName} used `,
      element('b', {}, asked.commandType === 1 ? `/${asked.name}` : asked.name),
    );
  const answered =
    message.type === 19 &&
    message.reference &&
    inChannel(state, message.reference.channel).get(message.reference.message);
  if (!answered) return undefined;
  const cut = typedAgain(state, answered.content).slice(0, 90);
  return element(
    'p',
    { class: 'origin' },
    `↱ ${authorOf(state, answered.author).realName}: ${cut || 'a file'}`,
  );
}

function reactionsOf(message, person, act) {
  if (message.reactions.length === 0) return undefined;
  const chips = message.reactions.map(({ emoji, users }) =>
    element(
      'button',
      {
        type: 'button',
        'aria-pressed': String(users.includes(person)),
        onclick: () => act.react(message, emoji, !users.includes(person)),
      },
      `${emoji} ${users.length}`,
    ),
  );
  return element('div', { class: 'chips' }, ...chips);
}

function threadOf(state, message, act) {
  const thread = state.channels.get(message.id);
  if (!thread || thread.parent !== message.channel) return undefined;
  const count = Math.max(0, inChannel(state, thread.id).size - 1);
  return element(
    'button',
    { type: 'button', class: 'replies', onclick: () => act.open(thread.id) },
    `⤷ ${thread.name}`,
    element('span', { class: 'faint' }, count === 1 ? '1 message' : `${count} messages`),
  );
}

const item = (name, onclick) => element('button', { type: 'button', onclick }, name);

function menuOf(state, message, mine, act) {
  const channel = state.channels.get(message.channel);
  const canThread = channel?.type === 0 && !state.channels.has(message.id) && !message.ephemeralTo;
  const items = message.ephemeralTo
    ? []
    : [
        item('Reply', () => act.reply(message)),
        ...(channel ? commandsIn(state, channel, 3) : []).map(({ name }) =>
          item(name, () => act.menu(message, name)),
        ),
        ...(canThread ? [item('Thread', () => act.thread(message))] : []),
        item('👍', () => act.react(message, '👍', true)),
        ...(mine ? [item('Edit', () => act.edit(message)), item('Delete', () => act.remove(message))] : []),
      ];
  return items.length > 0
    ? element('div', { class: 'menu', role: 'group', 'aria-label': 'This message' }, ...items)
    : undefined;
}

function timeOf(id) {
  const date = new Date(momentOf(id));
  const clock = date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
  const today = date.toDateString() === new Date().toDateString();
  const shown = today
    ? clock
    : `${date.toLocaleDateString([], { day: 'numeric', month: 'short' })}, ${clock}`;
  return element('time', { datetime: date.toISOString(), title: date.toLocaleString() }, shown);
}
