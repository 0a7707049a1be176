import { element } from './dom.js';

/** Who wrote: a person or the bot. */
export function authorOf(state, id) {
  if (id === state.bot.id) return { realName: 'Parley', name: state.bot.name, isBot: true, tone: 0 };
  const index = state.users.findIndex((user) => user.id === id);
  if (index < 0) return { realName: 'Slack', name: 'slack', isBot: false, tone: 2 };
  const { realName, name, teamId } = state.users[index];
  return { realName, name, isBot: false, tone: index % 3, guest: teamId !== undefined };
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

/** What a conversation is called for this person: others' names in DMs. */
export function titleOf(state, channel, person) {
  if (channel.kind === 'im') return state.bot.name;
  if (channel.kind !== 'mpim') return channel.name;
  const others = channel.members.filter((id) => id !== person && id !== state.bot.id);
  return [...others.map((id) => authorOf(state, id).realName.split(' ')[0]), state.bot.name].join(', ');
}
