import { channelsFor, FORUM, nameOf } from './discord-state.js';
import { element } from './dom.js';
import { fill } from './log.js';
import { drawPersons, placeView } from './side.js';

const byId = (id) => document.getElementById(id);

/** The left side: servers with their channels and threads, the DM, and who one is. */
export function drawPlaces({ state, view, unread, go, openDm }) {
  const mine = channelsFor(state, view.person);
  const item = (channel) =>
    placeView({
      key: channel.id,
      sign: signView(channel),
      name: nameOf(state, channel),
      isCurrent: channel.id === view.channel,
      isFresh: unread.has(view.person, channel.id),
      isInner: channel.parent !== undefined,
      open: () => go({ channel: channel.id }),
    });
  const sections = [...state.guilds.values()]
    .filter(({ members }) => members.includes(view.person))
    .flatMap((guild) => {
      const own = mine.filter((channel) => channel.guild === guild.id);
      const items = own
        .filter(({ parent }) => !parent)
        .flatMap((channel) => [channel, ...own.filter(({ parent }) => parent === channel.id)].map(item));
      return [
        element(
          'h2',
          { 'data-key': `name ${guild.id}` },
          guild.installed ? guild.name : `${guild.name} (without the bot)`,
        ),
        element('ul', { 'data-key': guild.id }, ...items),
      ];
    });
  const dm = mine.find(({ recipient }) => recipient);
  const begin = placeView({
    key: 'dm',
    sign: element('span', { class: 'sign', 'aria-hidden': 'true' }, '@'),
    name: state.bot.name,
    open: () => void openDm(),
  });
  fill(byId('places'), [
    ...sections,
    element('h2', { 'data-key': 'name dms' }, 'Direct messages'),
    element('ul', { 'data-key': 'dms' }, dm ? item(dm) : begin),
  ]);
  drawPersons(state.users.filter(({ id }) => channelsFor(state, id).length > 0).slice(0, 3), {
    person: view.person,
    become: (person) => go({ person }),
    isFresh: ({ id }) => unread.any(id),
  });
  byId('side-open').classList.toggle('fresh', unread.any(view.person));
}

function signView(channel) {
  const sign = channel.parent ? '⤷' : channel.type === FORUM ? '❏' : channel.recipient ? '@' : '#';
  return element('span', { class: 'sign', 'aria-hidden': 'true' }, sign);
}
