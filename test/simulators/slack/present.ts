import { presentBlocks } from './block-ids.ts';
import { presentFile } from './files.ts';
import { type Identity, type Person, personOf, teamOf } from './identity.ts';
import { type Channel, type Json, type Message, repliesTo, type Step } from './state.ts';
import { isStreaming, type SimulatorContext } from './context.ts';
import { richText } from './typed-text.ts';

/** A message as the Web API and the events show it. Metadata is included only on request. */
export function presentMessage(context: SimulatorContext, message: Message, metadata = false): Json {
  const { identity } = context;
  const json: Json = {
    type: 'message',
    user: message.user,
    ts: message.ts,
    text: message.text,
    ...teamMarks(context, message),
  };
  if (message.tombstone) return { ...json, ...tombstone(), ...threadOf(context, message) };
  if (message.clientId !== undefined) json['client_msg_id'] = message.clientId;
  if (message.user === identity.botUserId) Object.assign(json, botMarks(context, message));
  else if (message.text !== '') json['blocks'] = richText(message.text, message.ts.slice(-5));
  if (message.files) {
    const channel = context.state.channels.get(message.channel);
    json['files'] = message.files.map((id) => presentFile(context, id, channel));
    Object.assign(json, { upload: false, display_as_bot: false });
  }
  if (message.attachments) json['attachments'] = message.attachments;
  if (message.editedAt !== undefined) json['edited'] = { user: message.user, ts: message.editedAt };
  if (metadata && message.metadata) json['metadata'] = message.metadata;
  if (message.reactions && message.reactions.length > 0) {
    json['reactions'] = message.reactions.map((one) => ({ ...one, count: one.users.length }));
  }
  return { ...json, ...threadOf(context, message) };
}

/** The author's workspace: said thrice in channels shared between companies, and not as `team` with files. */
function teamMarks(context: SimulatorContext, message: Message): Json {
  const team = teamOf(context.identity, message.user);
  const shared = context.state.channels.get(message.channel)?.connected !== undefined;
  return { ...(message.files ? {} : { team }), ...(shared ? { user_team: team, source_team: team } : {}) };
}

/** For an app without an icon. */
const ICONS = Object.fromEntries(
  [36, 48, 72].map((size) => [
    `image_${size}`,
    `https://a.slack-edge.com/80588/img/plugins/app/bot_${size}.png`,
  ]),
);

/** The fields of a bot's message; a modern app has a `bot_id` and no `subtype`. */
function botMarks(context: SimulatorContext, message: Message): Json {
  const { identity } = context;
  const marks: Json = {
    bot_id: identity.botId,
    app_id: identity.appId,
    bot_profile: {
      id: identity.botId,
      app_id: identity.appId,
      name: identity.botName,
      icons: ICONS,
      deleted: false,
      updated: 1_700_000_000,
      team_id: identity.teamId,
    },
  };
  const blocks = blocksOf(message);
  if (blocks.length > 0) marks['blocks'] = blocks;
  if (message.stream) marks['streaming_state'] = isStreaming(context, message) ? 'in_progress' : 'completed';
  return marks;
}

/** All blocks of a bot's message: the task cards of a stream, its Markdown, and the blocks below. */
export function blocksOf(message: Message): Json[] {
  return presentBlocks([...ahead(message), ...(message.blocks ?? [])], message.ts);
}

/** The number of those before the app's own blocks. */
export const blocksAhead = (message: Message): number => ahead(message).length;

function ahead(message: Message): Json[] {
  const cards = (message.steps ?? []).map(taskCard);
  const plan = message.plan === undefined ? cards : [{ type: 'plan', title: message.plan, tasks: cards }];
  const words = message.markdown && message.text !== '' ? [{ type: 'markdown', text: message.text }] : [];
  return [...plan, ...words];
}

const rich = (words: string): Json => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: words }] }],
});

function taskCard({ id, title, status, details, output, sources }: Step): Json {
  return {
    type: 'task_card',
    task_id: id,
    title,
    status,
    ...(details === undefined ? {} : { details: rich(details) }),
    ...(output === undefined ? {} : { output: rich(output) }),
    ...(sources === undefined ? {} : { sources: sources.map((source) => ({ type: 'url', ...source })) }),
  };
}

/** Slack keeps a deleted root as long as it has replies. */
const tombstone = (): Json => ({
  subtype: 'tombstone',
  text: 'This message was deleted.',
  user: 'USLACKBOT',
  hidden: true,
});

function threadOf(context: SimulatorContext, message: Message): Json {
  if (message.thread !== undefined) {
    const root = context.state.messages.get(message.channel)?.get(message.thread);
    const parent: Json = root ? { parent_user_id: root.user } : {};
    return { thread_ts: message.thread, ...parent };
  }
  const replies = repliesTo(context.state, message.channel, message.ts);
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
    subscribed: replies.some((reply) => reply.user === context.identity.botUserId),
  };
}

/** A channel as `conversations.info` shows it. */
export function presentChannel(context: SimulatorContext, channel: Channel): Json {
  const common: Json = {
    id: channel.id,
    is_im: channel.kind === 'im',
    context_team_id: context.identity.teamId,
  };
  if (channel.kind === 'im') {
    const person = channel.members.find((member) => member !== context.identity.botUserId) ?? '';
    return { ...common, user: person, is_open: true, is_org_shared: false };
  }
  const connected = channel.connected ?? [];
  return {
    ...common,
    name: channel.name,
    name_normalized: channel.name,
    is_channel: channel.kind === 'channel',
    is_group: channel.kind === 'group',
    is_mpim: channel.kind === 'mpim',
    is_private: channel.kind !== 'channel',
    is_member: channel.members.includes(context.identity.botUserId),
    is_archived: channel.archived === true,
    is_general: channel.name === 'general',
    is_shared: connected.length > 0,
    is_ext_shared: connected.length > 0,
    is_org_shared: false,
    ...(connected.length > 0 ? { connected_team_ids: [...connected] } : {}),
  };
}

/** A person, or the bot, as `users.info` shows them. */
export function presentUser(context: SimulatorContext, id: string, locale = false): Json | undefined {
  const { identity } = context;
  const isBot = id === identity.botUserId;
  const person: Omit<Person, 'id'> | undefined = isBot
    ? { name: identity.botName, realName: 'Parley' }
    : personOf(identity, id);
  if (!person) return undefined;
  const { name, realName, tz = 'Europe/London', tzOffset = 0, locale: language = 'en-GB' } = person;
  const team = teamOf(identity, id);
  const profile = { real_name: realName, display_name: name, team };
  // Of a deactivated account Slack shows little else.
  if (person.deactivated)
    return { id, team_id: team, name, deleted: true, profile, is_bot: false, is_app_user: false };
  return {
    id,
    team_id: team,
    name,
    deleted: false,
    real_name: realName,
    tz,
    tz_label: tzOffset === 0 ? 'Greenwich Mean Time' : tz,
    tz_offset: tzOffset,
    profile,
    is_admin: person.admin === true,
    is_bot: isBot,
    is_app_user: false,
    ...(identity.enterprise && team === identity.teamId
      ? { enterprise_user: enterpriseUser(identity.enterprise, id, person.organizationRole, team) }
      : {}),
    ...(team === identity.teamId ? {} : { is_stranger: true }),
    ...(locale ? { locale: language } : {}),
  };
}

/** A person in their organization. An owner is no admin there. Source: docs.slack.dev/reference/objects/user-object. */
const enterpriseUser = (
  { id: enterprise_id, name: enterprise_name }: NonNullable<Identity['enterprise']>,
  id: string,
  role: Person['organizationRole'],
  team: string,
): Json => ({
  id,
  enterprise_id,
  enterprise_name,
  is_admin: role === 'admin',
  is_owner: role === 'owner',
  teams: [team],
});
