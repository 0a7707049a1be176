import { channelsFor, nameOf } from './discord-state.js';
import { element } from './dom.js';
import { fill } from './log.js';
import { avatar } from './people.js';

const FORUM = 15;

/** The left side: servers with their channels and threads, the DM, and who one is. */
export function drawPlaces({ state, shown, go, openDm, post }) {
  const mine = channelsFor(state, shown.person);
  const item = (channel) => {
    const forum = channel.type === FORUM;
    const sign = channel.parent ? '⤷' : forum ? '❏' : channel.recipient ? '@' : '#';
    return element(
      'li',
      { class: channel.parent ? 'inner' : undefined },
      element(
        'button',
        {
          type: 'button',
          'aria-current': channel.id === shown.channel ? 'page' : undefined,
          title: forum ? 'Begins a post with what stands in the message box' : channel.parent && channel.name,
          onclick: () => (forum ? post(channel.id) : go({ channel: channel.id })),
        },
        element('span', { class: 'sign', 'aria-hidden': 'true' }, sign),
        nameOf(state, channel),
      ),
    );
  };
  const sections = [...state.guilds.values()]
    .filter(({ members }) => members.includes(shown.person))
    .map((guild) => {
      const own = mine.filter((channel) => channel.guild === guild.id);
      const items = own
        .filter(({ parent }) => !parent)
        .flatMap((channel) => [channel, ...own.filter(({ parent }) => parent === channel.id)].map(item));
      return [
        element('h2', {}, guild.installed ? guild.name : `${guild.name} (without the bot)`),
        element('ul', {}, ...items),
      ];
    });
  const dm = mine.find(({ recipient }) => recipient);
  const begin = element(
    'li',
    {},
    element(
      'button',
      { type: 'button', onclick: () => void openDm() },
      element('span', { class: 'sign' }, '@'),
      state.bot.name,
    ),
  );
  fill(document.getElementById('places'), [
    ...sections.flat(),
    element('h2', {}, 'Direct messages'),
    element('ul', {}, dm ? item(dm) : begin),
  ]);
  const persons = state.users.filter(({ id }) => channelsFor(state, id).length > 0).slice(0, 3);
  fill(
    document.getElementById('persons'),
    persons.map((user) =>
      element(
        'button',
        {
          type: 'button',
          role: 'radio',
          'aria-checked': String(user.id === shown.person),
          onclick: () => go({ person: user.id }),
        },
        avatar({ realName: user.realName, isBot: false, tone: state.users.indexOf(user) % 3 }),
        user.realName.split(' ')[0],
      ),
    ),
  );
}
