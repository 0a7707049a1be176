import { element } from './dom.js';
import { fill } from './log.js';
import { avatar, titleOf } from './people.js';

const byId = (id) => document.getElementById(id);

/** Stands for the Home tab of the app in the address. */
export const HOME = 'home';

/** The conversations that a person is in. */
export const channelsFor = (state, person) =>
  [...state.channels.values()].filter((channel) => channel.members.includes(person));

export const unreadKey = (person, channel) => `${person}/${channel}`;

/** The left side: conversations, and who one is. */
export function drawSide(page) {
  drawChannels(page);
  drawPersons(page);
}

function drawChannels({ state, shown, unread, go }) {
  const mine = channelsFor(state, shown.person);
  const item = (channel) => {
    const fresh = unread.has(unreadKey(shown.person, channel.id));
    const current = channel.id === shown.channel;
    return element(
      'li',
      {},
      element(
        'button',
        {
          type: 'button',
          'aria-current': current ? 'page' : undefined,
          class: fresh ? 'fresh' : undefined,
          onclick: () => go({ channel: channel.id, thread: undefined }),
        },
        element('span', { class: `sign ${channel.kind}`, 'aria-hidden': 'true' }),
        titleOf(state, channel, shown.person),
        channel.kind === 'group' ? element('span', { class: 'hidden' }, ' (private)') : undefined,
        fresh ? element('span', { class: 'hidden' }, ' (unread)') : undefined,
      ),
    );
  };
  fill(byId('channels'), mine.filter((channel) => !isDirect(channel)).map(item));
  const openHome = element(
    'li',
    {},
    element(
      'button',
      {
        type: 'button',
        'aria-current': shown.channel === HOME ? 'page' : undefined,
        onclick: () => go({ channel: HOME, thread: undefined }),
      },
      element('span', { class: 'sign home', 'aria-hidden': 'true' }),
      'App Home',
    ),
  );
  fill(byId('directs'), [...mine.filter(isDirect).map(item), openHome]);
}

const isDirect = ({ kind }) => kind === 'im' || kind === 'mpim';

function drawPersons({ state, shown, unread, become }) {
  const buttons = state.users.map((user, index) => {
    const fresh = channelsFor(state, user.id).some((channel) => unread.has(unreadKey(user.id, channel.id)));
    return element(
      'button',
      {
        type: 'button',
        role: 'radio',
        'aria-checked': String(user.id === shown.person),
        title: `Alt + ${index + 1}`,
        class: fresh && user.id !== shown.person ? 'fresh' : undefined,
        onclick: () => become(user.id),
      },
      avatar({ realName: user.realName, isBot: false, tone: index % 3 }),
      user.realName.split(' ')[0],
    );
  });
  fill(byId('persons'), buttons);
}
