import { cardsView, embedView, fileOf, words } from './discord-cards.js';
import { commandsIn, inChannel, momentOf, typedAgain } from './discord-state.js';
import { element } from './dom.js';
import { deleteView, editView, item, menuOf, selectView } from './menu.js';
import { timeView } from './moment.js';
import { authorOf, avatar } from './people.js';
import { thumbView } from './thumb.js';

const THINKING = 128;
const VOICE = 8192;
const TEXT_CHANNEL = 0;
/** Commands in the menu of a message. */
const ON_MESSAGES = 3;

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
        timeView(new Date(momentOf(message.id))),
        message.editedAt ? element('span', { class: 'faint' }, '(edited)') : undefined,
      ),
      body,
      reactionsOf(message, person, act),
      threadOf(state, message, act),
      message.ephemeralTo ? element('p', { class: 'faint' }, 'Only you can see this') : undefined,
    ),
    ...(mine && editing ? [] : menuView(state, message, { mine, person, act })),
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
  const snapshot = message.snapshot;
  const v2 = (message.flags & 32_768) !== 0;
  return [
    message.flags & VOICE ? element('p', { class: 'faint' }, 'Voice message') : undefined,
    snapshot
      ? element(
          'blockquote',
          {},
          element('p', { class: 'faint' }, '↱ Forwarded'),
          ...words(state, snapshot.content),
          ...snapshot.files.map((id) => fileOf(state, id)),
        )
      : undefined,
    ...words(state, message.content),
    ...message.embeds.map((embed) => embedView(state, embed)),
    ...(v2 ? [] : message.files.map((id) => fileOf(state, id))),
    ...cardsView(state, message, (customId, values) => act.press(message, customId, values)),
  ].filter(Boolean);
}

const startOf = (state, { reference }) => {
  const root = reference && inChannel(state, reference.channel).get(reference.message);
  return root ? [element('blockquote', {}, ...words(state, root.content))] : [];
};

/** What a message answers: a command, or another message. */
function originOf(state, message) {
  const interaction = message.interaction && state.interactions.get(message.interaction);
  if (interaction?.name)
    return element(
      'p',
      { class: 'origin' },
      `${authorOf(state, interaction.user).realName} used `,
      element('b', {}, interaction.commandType === 1 ? `/${interaction.name}` : interaction.name),
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
        'data-key': emoji,
        'aria-label': `${emoji}: ${users.length}`,
        'aria-pressed': String(users.includes(person)),
        onclick: () => act.react(message, emoji, !users.includes(person)),
      },
      emoji === '👍' ? thumbView('up') : emoji,
      ` ${users.length}`,
    ),
  );
  return element('div', { class: 'chips' }, ...chips);
}

function threadOf(state, message, act) {
  const thread = state.channels.get(message.id);
  if (!thread || thread.parent !== message.channel) return undefined;
  const count = Math.max(0, inChannel(state, thread.id).size - 1);
  const isNews = act.isUnread(thread.id);
  return element(
    'button',
    {
      type: 'button',
      class: isNews ? 'replies fresh' : 'replies',
      'data-key': 'thread',
      onclick: () => act.open(thread.id),
    },
    element('b', {}, `⤷ ${thread.name}`),
    element('span', { class: 'faint' }, count === 1 ? '1 message' : `${count} messages`),
    isNews ? element('span', { class: 'hidden' }, ' (new)') : undefined,
  );
}

/** What can be done with a message that others see, too. */
function menuView(state, message, { mine, person, act }) {
  if (message.ephemeralTo) return [];
  const channel = state.channels.get(message.channel);
  const canThread = channel?.type === TEXT_CHANNEL && !state.channels.has(message.id);
  const commands = channel ? commandsIn(state, channel, ON_MESSAGES) : [];
  return menuOf('This message', [
    item('reply', 'Reply', () => act.reply(message)),
    ...(canThread ? [item('new-thread', 'Thread', () => act.thread(message))] : []),
    element(
      'button',
      {
        type: 'button',
        'data-key': 'react',
        'aria-label': 'React with a thumb up',
        onclick: () => act.react(message, '👍', true),
      },
      thumbView('up'),
    ),
    ...(commands.length > 0 ? [appsView(state, message, { commands, person, act })] : []),
    ...(mine ? [item('edit', 'Edit', () => act.edit(message)), deleteView(() => act.remove(message))] : []),
  ]);
}

/** The commands that apps have for messages: "Apps" in Discord's own menu. */
function appsView(state, message, { commands, person, act }) {
  const locale = state.users.find(({ id }) => id === person)?.locale;
  const options = commands.map(({ name, name_localizations: names }) => [names?.[locale] ?? name, name]);
  return selectView('Apps', options, (name) => act.menu(message, name));
}
