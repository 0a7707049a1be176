import { addressOf } from './cdn.ts';
import { CHANNEL, MESSAGE } from './flags.ts';
import type { Json } from './json.ts';
import { byAge, momentOf } from './snowflakes.ts';
import type { Channel, FileRecord, Interaction, Message } from './state.ts';
import { presentComponent } from './present-components.ts';
import { namedRoles } from './mentions.ts';
import { memberRolesOf, overwritesOf, permissionsIn, type Role } from './permissions.ts';
import { isArchived, type SimulatorContext } from './context.ts';

const timestamp = (ms: number): string => new Date(ms).toISOString().replace('Z', '000+00:00');

export function presentUser(context: SimulatorContext, id: string): Json {
  const user = context.state.users.get(id);
  return {
    id,
    username: user?.username ?? 'unknown',
    global_name: user?.bot ? null : (user?.name ?? null),
    discriminator: user?.bot ? '0001' : '0',
    avatar: null,
    public_flags: 0,
    flags: 0,
    primary_guild: null,
    ...(user?.bot ? { bot: true } : {}),
  };
}

/** A member without its user, as in the messages of the gateway. */
export function presentMember(context: SimulatorContext, guild: string, id: string): Json {
  const knownGuild = context.state.guilds.get(guild);
  const until = id === context.identity.applicationId ? knownGuild?.botTimedOutUntil : undefined;
  return {
    roles: knownGuild ? memberRolesOf(context, knownGuild, id) : [],
    nick: null,
    avatar: null,
    banner: null,
    joined_at: timestamp(momentOf(guild)),
    premium_since: null,
    deaf: false,
    mute: false,
    flags: 0,
    pending: false,
    communication_disabled_until: until === undefined ? null : timestamp(until),
  };
}

export const presentRole = ({ id, name, permissions, managed, bot }: Role): Json => ({
  id,
  name,
  color: 0,
  colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
  hoist: false,
  icon: null,
  unicode_emoji: null,
  description: null,
  position: 0,
  permissions,
  managed,
  mentionable: false,
  flags: 0,
  ...(bot === undefined ? {} : { tags: { bot_id: bot } }),
});

/** The last message of a channel; of a forum, its last post: docs:resources/channel#channel-object. */
function lastIn({ state }: SimulatorContext, { id, type }: Channel): string | undefined {
  const parts =
    type === CHANNEL.forum
      ? [...state.channels.values()].filter(({ parent }) => parent === id).toSorted(byAge)
      : [...(state.messages.get(id)?.values() ?? [])];
  return parts.at(-1)?.id;
}

export function presentChannel(context: SimulatorContext, channel: Channel): Json {
  const { id, type, name, guild } = channel;
  const common: Json = { id, type, last_message_id: lastIn(context, channel) ?? null, flags: 0 };
  if (guild === undefined) {
    const people = channel.recipients ?? [channel.recipient ?? ''];
    return { ...common, recipients: people.map((one) => presentUser(context, one)) };
  }
  const inGuild: Json = { ...common, guild_id: guild ?? null, name, parent_id: channel.parent ?? null };
  if (channel.parent === undefined)
    return {
      ...inGuild,
      position: 0,
      permission_overwrites: overwritesOf(context, channel),
      nsfw: false,
      topic: null,
      rate_limit_per_user: 0,
    };
  const messages = context.state.messages.get(id)?.size ?? 0;
  return {
    ...inGuild,
    owner_id: channel.owner ?? null,
    rate_limit_per_user: 0,
    message_count: messages,
    total_message_sent: messages,
    member_count: 1,
    thread_metadata: {
      archived: isArchived(context, channel),
      auto_archive_duration: channel.autoArchive ?? 1_440,
      archive_timestamp: timestamp(channel.active ?? momentOf(id)),
      locked: channel.locked ?? false,
      create_timestamp: timestamp(momentOf(id)),
      ...(type === CHANNEL.privateThread ? { invitable: true } : {}),
    },
  };
}

/**
 * A channel that the bot may not see, as the gateway sends it since November 2026:
 * docs:resources/channel#obfuscated-channels.
 */
export const obfuscated = (channel: Json): Json => ({
  ...Object.fromEntries(Object.entries(channel).filter(([field]) => LEFT_OBFUSCATED.includes(field))),
  name: '___hidden___',
  flags: OBFUSCATED,
});

const LEFT_OBFUSCATED = ['id', 'type', 'guild_id', 'position', 'parent_id', 'permission_overwrites'];
const OBFUSCATED = 1 << 17;

/** A channel as interactions carry it. */
export function presentPartialChannel(context: SimulatorContext, channel: Channel): Json {
  return { ...presentChannel(context, channel), permissions: String(permissionsIn(context, channel)) };
}

export function presentFile(context: SimulatorContext, file: FileRecord): Json {
  const { id, filename, title, size, contentType, description, durationSecs, waveform, ephemeral } = file;
  const { width, height } = file;
  const url = addressOf(context, file);
  return {
    id,
    filename,
    ...(title === undefined ? {} : { title }),
    size,
    content_type: contentType,
    url,
    proxy_url: url,
    ...(description === undefined ? {} : { description }),
    ...(durationSecs === undefined ? {} : { duration_secs: durationSecs }),
    ...(waveform === undefined ? {} : { waveform }),
    ...(ephemeral ? { ephemeral } : {}),
    ...(width === undefined || height === undefined ? {} : { width, height }),
  };
}

export function presentEmoji(emoji: string): Json {
  const [name = emoji, id] = emoji.split(':');
  return id === undefined ? { id: null, name: emoji } : { id, name };
}

/** A message as REST returns it; `deep` with the replied-to message. */
export function presentMessage(context: SimulatorContext, message: Message, deep = true): Json {
  const { state } = context;
  const files = message.files.flatMap((id) => state.files.get(id)?.file ?? []);
  const thread = state.channels.get(message.id);
  return {
    id: message.id,
    type: message.type,
    channel_id: message.channel,
    content: message.content,
    author: presentUser(context, message.author),
    attachments: files.map((file) => presentFile(context, file)),
    embeds: message.embeds,
    components: message.components.map((one) => presentComponent(context, one, files)),
    mentions: message.mentions.map((id) => presentUser(context, id)),
    mention_roles: namedRoles(context, message),
    mention_everyone: message.everyone ?? false,
    pinned: false,
    tts: false,
    timestamp: timestamp(momentOf(message.id)),
    edited_timestamp: message.editedAt === undefined ? null : timestamp(message.editedAt),
    flags: message.flags,
    ...(message.reactions.length > 0
      ? { reactions: message.reactions.map((one) => reaction(context, one)) }
      : {}),
    ...(message.webhook === undefined
      ? {}
      : { webhook_id: message.webhook, application_id: message.webhook }),
    ...(thread?.parent === message.channel ? { thread: presentChannel(context, thread) } : {}),
    ...presentReference(context, message, deep),
    ...presentOrigin(context, message),
  };
}

/**
 * A message in the response to its creation or in its event: with its nonce, which Discord does not store
 * (Rapptz/discord.py#2451).
 */
export const presentNew = (context: SimulatorContext, message: Message): Json => ({
  ...presentMessage(context, message),
  ...(message.nonce === undefined ? {} : { nonce: message.nonce }),
});

function reaction({ identity }: SimulatorContext, { emoji, users }: Message['reactions'][number]): Json {
  const me = users.includes(identity.applicationId);
  const count_details = { burst: 0, normal: users.length };
  return {
    emoji: presentEmoji(emoji),
    count: users.length,
    count_details,
    me,
    me_burst: false,
    burst_colors: [],
  };
}

function presentReference(
  context: SimulatorContext,
  { reference, snapshot, type }: Message,
  deep: boolean,
): Json {
  if (!reference) return {};
  const { message, channel, guild } = reference;
  const place: Json = {
    type: snapshot ? 1 : 0,
    message_id: message,
    channel_id: channel,
    ...(guild === undefined ? {} : { guild_id: guild }),
  };
  if (snapshot) {
    const attachments = snapshot.files.flatMap((id) => context.state.files.get(id)?.file ?? []);
    const content: Json = {
      type: MESSAGE.plain,
      content: snapshot.content,
      flags: snapshot.flags,
      embeds: snapshot.embeds ?? [],
      mentions: [],
      mention_roles: [],
      components: [],
      attachments: attachments.map((file) => presentFile(context, file)),
      timestamp: timestamp(momentOf(message)),
      edited_timestamp: null,
    };
    return { message_reference: place, message_snapshots: [{ message: content }] };
  }
  if (!deep || (type !== MESSAGE.reply && type !== MESSAGE.threadStarter))
    return { message_reference: place };
  const answered = context.state.messages.get(channel)?.get(message);
  return {
    message_reference: place,
    referenced_message: answered ? presentMessage(context, answered, false) : null,
  };
}

/** The command or click that a message responds to. */
function presentOrigin(context: SimulatorContext, message: Message): Json {
  const interaction =
    message.interaction === undefined ? undefined : context.state.interactions.get(message.interaction);
  return interaction ? { interaction_metadata: metadataOf(context, interaction, message.id) } : {};
}

function metadataOf(context: SimulatorContext, interaction: Interaction, of?: string): Json {
  const { id, type, user, name = '', guild, original, source, form } = interaction;
  const opened = form === undefined ? undefined : context.state.interactions.get(form);
  return {
    id,
    type,
    user: presentUser(context, user),
    authorizing_integration_owners: authorizingOwners(interaction.userInstall === true, user, guild),
    ...(name === '' ? {} : { name, command_type: interaction.commandType ?? 1 }),
    ...(source === undefined || opened ? {} : { interacted_message_id: source }),
    ...(original === undefined || original === of ? {} : { original_response_message_id: original }),
    ...(opened ? { triggering_interaction_metadata: metadataOf(context, opened) } : {}),
  };
}

/** Who installed the app: the guild (0) or the person (1). */
export function authorizingOwners(userInstall: boolean, user: string, guild: string | undefined): Json {
  return userInstall ? { '1': user } : { '0': guild ?? '0' };
}
