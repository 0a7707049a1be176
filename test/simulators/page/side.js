import { element } from './dom.js';
import { fill } from './log.js';
import { avatar, titleOf } from './people.js';

const byId = (id) => document.getElementById(id);

/** Stands for the Home tab of the app in the address. */
export const HOME = 'home';

/** The conversations that a person is in. */
export const channelsFor = (state, person) =>
  [...state.channels.values()].filter((channel) => channel.members.includes(person));

/** The left side: conversations, and who one is. */
export function drawSide(page) {
  drawChannels(page);
  const { state, view, unread, become } = page;
  drawPersons(state.users, {
    person: view.person,
    become,
    isFresh: ({ id }) => unread.any(id),
    titleOf: (_user, index) => `Alt + ${index + 1}`,
  });
  byId('side-open').classList.toggle('fresh', unread.any(view.person));
}

function drawChannels({ state, view, unread, go }) {
  const mine = channelsFor(state, view.person);
  const item = (channel) =>
    placeView({
      key: channel.id,
      sign: element('span', { class: `sign ${channel.kind}`, 'aria-hidden': 'true' }),
      name: titleOf(state, channel, view.person),
      note: channel.kind === 'group' ? ' (private)' : '',
      isCurrent: channel.id === view.channel,
      isFresh: unread.has(view.person, channel.id),
      open: () => go({ channel: channel.id, thread: undefined }),
    });
  fill(byId('channels'), mine.filter((channel) => !isDirect(channel)).map(item));
  const home = placeView({
    key: HOME,
    sign: element('span', { class: 'sign home', 'aria-hidden': 'true' }),
    name: 'App Home',
    isCurrent: view.channel === HOME,
    open: () => go({ channel: HOME, thread: undefined }),
  });
  fill(byId('directs'), [...mine.filter(isDirect).map(item), home]);
}

const isDirect = ({ kind }) => kind === 'im' || kind === 'mpim';

/** One place to go to, in a list. */
export const placeView = ({ key, sign, name, note = '', isCurrent, isFresh, isInner, open }) =>
  element(
    'li',
    { 'data-key': key, class: isInner ? 'inner' : undefined },
    element(
      'button',
      {
        type: 'button',
        'aria-current': isCurrent ? 'page' : undefined,
        class: isFresh ? 'fresh' : undefined,
        title: isInner ? name : undefined,
        onclick: open,
      },
      sign,
      name,
      element('span', { class: 'hidden' }, `${note}${isFresh ? ' (unread)' : ''}`),
    ),
  );

/** Who one is, and who else one can be. */
export function drawPersons(users, { person, become, isFresh, titleOf: title }) {
  const buttons = users.map((user, index) => {
    const fresh = user.id !== person && isFresh(user);
    return element(
      'button',
      {
        type: 'button',
        role: 'radio',
        'data-key': user.id,
        'aria-checked': String(user.id === person),
        title: title?.(user, index),
        class: fresh ? 'fresh' : undefined,
        onclick: () => become(user.id),
      },
      avatar({ realName: user.realName, isBot: false, tone: index % 3 }),
      user.realName.split(' ')[0],
      fresh ? element('span', { class: 'hidden' }, ' (unread)') : undefined,
    );
  });
  fill(byId('persons'), buttons);
}
