/** The type of a channel that holds posts, which are threads. */
export const FORUM = 15;

/** What the page knows of the simulated Discord: the sum of the changes that the server told. */
export function createState() {
  return {
    bot: { id: '', name: 'parley' },
    users: [],
    guilds: new Map(),
    channels: new Map(),
    messages: new Map(),
    files: new Map(),
    interactions: new Map(),
    commands: new Map(),
    typing: new Map(),
  };
}

/** Adds one change. People are kept as the parts shared with the other page know them. */
export function applyChange(state, change) {
  switch (change.kind) {
    case 'user': {
      const { id, username: name, name: realName, bot, locale } = change.user;
      if (bot) state.bot = { id, name };
      else state.users = [...state.users.filter((user) => user.id !== id), { id, name, realName, locale }];
      return;
    }
    case 'message': {
      const { message } = change;
      inChannel(state, message.channel).set(message.id, { ...message, ts: message.id });
      state.typing.delete(message.channel);
      return;
    }
    case 'removal':
      inChannel(state, change.channel).delete(change.id);
      return;
    case 'channelGone':
      state.channels.delete(change.id);
      return;
    case 'typing':
      state.typing.set(change.channel, change.until);
      return;
    case 'commands':
      state.commands.set(change.scope, change.commands);
      return;
    default:
      state[`${change.kind}s`].set(change[change.kind].id, change[change.kind]);
  }
}

/** Starts over with everything that the server has. */
export function loadEverything(state, changes) {
  Object.assign(state, createState());
  for (const change of changes) applyChange(state, change);
}

export function inChannel(state, channel) {
  if (!state.messages.has(channel)) state.messages.set(channel, new Map());
  return state.messages.get(channel);
}

/** A channel's messages for this person, oldest first. */
export const messagesFor = (state, channel, person) =>
  [...inChannel(state, channel).values()].filter(
    ({ ephemeralTo }) => ephemeralTo === undefined || ephemeralTo === person,
  );

/** The channels that a person sees: of the guilds they are in, and the DM with the bot. */
export const channelsFor = (state, person) =>
  [...state.channels.values()].filter(
    ({ guild, recipient, members }) =>
      (guild ? state.guilds.get(guild)?.members.includes(person) : recipient === person) &&
      (!members || members.includes(person)),
  );

/** What a channel is called. */
export const nameOf = (state, channel) => (channel.recipient ? state.bot.name : channel.name);

/** The commands of a kind that can be used in a channel: 1 for slash commands, 3 for those of messages. */
export function commandsIn(state, channel, type) {
  const guild = state.guilds.get(channel.guild);
  const all = [...(state.commands.get(channel.guild) ?? []), ...(state.commands.get('global') ?? [])];
  return all.filter(
    (command) =>
      command.type === type &&
      (!Array.isArray(command.contexts) || command.contexts.includes(channel.guild ? 0 : 1)) &&
      (guild?.installed !== false || command.integration_types?.includes(1)),
  );
}

/** When an id was made, in ms since 1970. */
export const momentOf = (id) => Number(BigInt(id) >> 22n) + 1_420_070_400_000;

/** A person's words as they were typed: names for ids. */
export const typedAgain = (state, text) =>
  text.replaceAll(/<@!?(\d+)>/g, (mark, id) => {
    const name = id === state.bot.id ? state.bot.name : state.users.find((user) => user.id === id)?.name;
    return name ? `@${name}` : mark;
  });
