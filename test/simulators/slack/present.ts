import { type Channel, type Json, type Message, repliesTo } from './state.ts';
import { isStreaming, type World } from './world.ts';
import { richText } from './words.ts';

/** A message as the Web API and the events show it. Metadata is shown only where it is asked for. */
export function presentMessage(world: World, message: Message, metadata = false): Json {
  const { identity } = world;
  const shown: Json = {
    type: 'message',
    user: message.user,
    ts: message.ts,
    text: message.text,
    team: identity.teamId,
  };
  if (message.tombstone) return { ...shown, ...tombstone(), ...threadOf(world, message) };
  if (message.clientId !== undefined) shown['client_msg_id'] = message.clientId;
  if (message.user === identity.botUserId) Object.assign(shown, botMarks(world, message));
  else shown['blocks'] = richText(message.text, message.ts.slice(-5));
  if (message.editedAt !== undefined) shown['edited'] = { user: message.user, ts: message.editedAt };
  if (metadata && message.metadata) shown['metadata'] = message.metadata;
  if (message.reactions && message.reactions.length > 0) {
    shown['reactions'] = message.reactions.map((one) => ({ ...one, count: one.users.length }));
  }
  return { ...shown, ...threadOf(world, message) };
}

/** What marks a bot's message; a modern app has a `bot_id` and no `subtype`. */
function botMarks(world: World, message: Message): Json {
  const { identity } = world;
  const marks: Json = {
    bot_id: identity.botId,
    app_id: identity.appId,
    bot_profile: {
      id: identity.botId,
      app_id: identity.appId,
      name: identity.botName,
      deleted: false,
      team_id: identity.teamId,
    },
  };
  const words = message.markdown && message.text !== '' ? [{ type: 'markdown', text: message.text }] : [];
  const blocks = [...words, ...(message.blocks ?? [])];
  if (blocks.length > 0) marks['blocks'] = blocks;
  if (message.stream) marks['streaming_state'] = isStreaming(world, message) ? 'in_progress' : 'completed';
  return marks;
}

/** Slack keeps a deleted root as long as it has replies. */
const tombstone = (): Json => ({
  subtype: 'tombstone',
  text: 'This message was deleted.',
  user: 'USLACKBOT',
  hidden: true,
});

function threadOf(world: World, message: Message): Json {
  if (message.thread !== undefined) {
    const root = world.state.messages.get(message.channel)?.get(message.thread);
    const parent: Json = root ? { parent_user_id: root.user } : {};
    return { thread_ts: message.thread, ...parent };
  }
  const replies = repliesTo(world.state, message.channel, message.ts);
  const latest = replies.at(-1);
  if (!latest) return {};
  const users = [...new Set(replies.map((reply) => reply.user))];
  return {
    thread_ts: message.ts,
    reply_count: replies.length,
    reply_users_count: users.length,
    latest_reply: latest.ts,
    reply_users: users.slice(0, 5),
    is_locked: false,
    subscribed: replies.some((reply) => reply.user === world.identity.botUserId),
  };
}

/** A channel as `conversations.info` shows it. */
export function presentChannel(world: World, channel: Channel): Json {
  const common: Json = {
    id: channel.id,
    is_im: channel.kind === 'im',
    context_team_id: world.identity.teamId,
  };
  if (channel.kind === 'im') {
    const person = channel.members.find((member) => member !== world.identity.botUserId) ?? '';
    return { ...common, user: person, is_open: true, is_org_shared: false };
  }
  return {
    ...common,
    name: channel.name,
    name_normalized: channel.name,
    is_channel: channel.kind === 'channel',
    is_group: channel.kind === 'group',
    is_private: channel.kind === 'group',
    is_member: channel.members.includes(world.identity.botUserId),
    is_archived: false,
    is_general: channel.name === 'general',
    is_shared: false,
    is_ext_shared: false,
    is_org_shared: false,
  };
}

/** A person, or the bot, as `users.info` shows them. */
export function presentUser(world: World, id: string): Json | undefined {
  const { identity } = world;
  const isBot = id === identity.botUserId;
  const person = isBot
    ? { id, name: identity.botName, realName: 'Parley' }
    : identity.users.find((user) => user.id === id);
  if (!person) return undefined;
  return {
    id,
    team_id: identity.teamId,
    name: person.name,
    deleted: false,
    real_name: person.realName,
    tz: 'Europe/London',
    tz_label: 'Greenwich Mean Time',
    tz_offset: 0,
    profile: { real_name: person.realName, display_name: person.name, team: identity.teamId },
    is_admin: false,
    is_bot: isBot,
    is_app_user: false,
  };
}
