import { isJson, type Json, listOf } from './json.ts';
import { mayView, rolesOf } from './permissions.ts';
import {
  obfuscated,
  presentChannel,
  presentEmoji,
  presentMember,
  presentMessage,
  presentNew,
  presentRole,
  presentUser,
} from './present.ts';
import type { Change, Channel, Guild, Message } from './state.ts';
import { isOpen } from './mentions.ts';
import { type Dispatch, isArchived, isThread, type SimulatorContext } from './context.ts';

/** What an app without MESSAGE_CONTENT gets of a message, or of a copy in a forward: docs:resources/message#message-object. */
export function withoutContent(whole: Json): Json {
  const message = Object.fromEntries(Object.entries(whole).filter(([field]) => field !== 'poll'));
  const snapshots = listOf(message['message_snapshots']).map((snapshot) => ({
    ...snapshot,
    message: withoutContent(isJson(snapshot['message']) ? snapshot['message'] : {}),
  }));
  return {
    ...message,
    content: '',
    embeds: [],
    attachments: [],
    components: [],
    ...(snapshots.length > 0 ? { message_snapshots: snapshots } : {}),
  };
}

/**
 * A message as an app without MESSAGE_CONTENT gets it. The intent “controls data within message objects everywhere”
 * (docs:gateway/you-might-not-need-a-privileged-intent), so the message that it replies to is one of its own: a mention in the reply does not open it.
 */
export function withoutIntent(message: Json, { open, openReply = false }: Openness): Json {
  const seen = open ? message : withoutContent(message);
  const { referenced_message: replied } = seen;
  return openReply || !isJson(replied) ? seen : { ...seen, referenced_message: withoutContent(replied) };
}

/** Which content an app without MESSAGE_CONTENT may read: that of the message, and that of the one it replies to. */
export const opennessOf = (context: SimulatorContext, message: Message): Openness => {
  const { message: id = '', channel = '' } = message.reference ?? {};
  const replied = context.state.messages.get(channel)?.get(id);
  return { open: isOpen(context, message), openReply: replied !== undefined && isOpen(context, replied) };
};

type Openness = Pick<Dispatch, 'open' | 'openReply'>;

/**
 * The gateway events of a change; `apply` performs it. Nothing is sent about what the bot may not see, and next to
 * nothing about such channels.
 */
export function dispatchesOf(context: SimulatorContext, change: Change, apply: () => void): Dispatch[] {
  const before = earlier(context, change);
  apply();
  const channel = before.channel ?? context.state.channels.get(channelIn(change) ?? '');
  const dispatches = toldOf(context, change, before);
  if (!channel || mayView(context, channel)) return dispatches;
  return dispatches
    .filter(({ t }) => t.startsWith('CHANNEL_'))
    .map((dispatch) => ({ ...dispatch, d: obfuscated(dispatch.d) }));
}

function channelIn(change: Change): string | undefined {
  if (change.kind === 'message') return change.message.channel;
  if (change.kind === 'channel') return change.channel.id;
  return 'channel' in change ? change.channel : undefined;
}

function toldOf(context: SimulatorContext, change: Change, before: Earlier): Dispatch[] {
  switch (change.kind) {
    case 'message':
      return ofMessage(context, before.message, change.message);
    case 'removal':
      return before.message && before.message.ephemeralTo === undefined
        ? [event(context, 'MESSAGE_DELETE', { id: change.id, channel_id: change.channel }, change.channel)]
        : [];
    case 'channel':
      return ofChannel(context, before.channel, change.channel);
    case 'channelGone':
      return before.channel ? [deletionDispatch(context, before.channel)] : [];
    case 'typing': {
      const d = {
        channel_id: change.channel,
        user_id: change.user,
        timestamp: Math.floor(context.now() / 1000),
      };
      return [event(context, 'TYPING_START', d, change.channel)];
    }
    case 'guild':
      return ofGuild(context, before.guild, change.guild);
    case 'user':
    case 'file':
    case 'interaction':
    case 'commands':
  }
  return [];
}

type Earlier = { readonly message?: Message; readonly channel?: Channel; readonly guild?: Guild };

function earlier({ state }: SimulatorContext, change: Change): Earlier {
  const message =
    change.kind === 'message'
      ? state.messages.get(change.message.channel)?.get(change.message.id)
      : change.kind === 'removal'
        ? state.messages.get(change.channel)?.get(change.id)
        : undefined;
  const channel =
    change.kind === 'channel'
      ? state.channels.get(change.channel.id)
      : change.kind === 'channelGone'
        ? state.channels.get(change.id)
        : undefined;
  const guild = change.kind === 'guild' ? state.guilds.get(change.guild.id) : undefined;
  return { ...(message && { message }), ...(channel && { channel }), ...(guild && { guild }) };
}

function ofMessage(context: SimulatorContext, before: Message | undefined, message: Message): Dispatch[] {
  if (message.ephemeralTo !== undefined) return [];
  const reactions = ofReactions(context, before, message);
  if (before && reactions.length > 0) return reactions;
  const guild = context.state.channels.get(message.channel)?.guild;
  const member = guild === undefined ? {} : { member: presentMember(context, guild, message.author) };
  const d = { ...(before ? presentMessage : presentNew)(context, message), ...member };
  const { channel } = message;
  return [
    event(context, before ? 'MESSAGE_UPDATE' : 'MESSAGE_CREATE', d, channel, opennessOf(context, message)),
  ];
}

const pairs = (message: Message | undefined): string[] =>
  (message?.reactions ?? []).flatMap(({ emoji, users }) => users.map((user) => `${user} ${emoji}`));

function ofReactions(context: SimulatorContext, before: Message | undefined, after: Message): Dispatch[] {
  const [old, now] = [new Set(pairs(before)), new Set(pairs(after))];
  const tell = (t: string, pair: string): Dispatch => {
    const [user = '', emoji = ''] = pair.split(' ');
    const d = {
      user_id: user,
      channel_id: after.channel,
      message_id: after.id,
      message_author_id: after.author,
      emoji: presentEmoji(emoji),
      burst: false,
      type: 0,
    };
    return event(context, t, d, after.channel);
  };
  return [
    ...[...now].filter((pair) => !old.has(pair)).map((pair) => tell('MESSAGE_REACTION_ADD', pair)),
    ...[...old].filter((pair) => !now.has(pair)).map((pair) => tell('MESSAGE_REACTION_REMOVE', pair)),
  ];
}

function ofChannel(context: SimulatorContext, before: Channel | undefined, channel: Channel): Dispatch[] {
  const kind = channel.parent === undefined ? 'CHANNEL' : 'THREAD';
  // Only the time of the last message changed: Discord sends no event.
  if (before && before.active !== channel.active && before.archived === channel.archived) return [];
  const fresh = before ? {} : { newly_created: true };
  const d = { ...presentChannel(context, channel), ...(kind === 'THREAD' ? fresh : {}) };
  return [event(context, `${kind}_${before ? 'UPDATE' : 'CREATE'}`, d, channel.id)];
}

function deletionDispatch(context: SimulatorContext, channel: Channel): Dispatch {
  const t = channel.parent === undefined ? 'CHANNEL_DELETE' : 'THREAD_DELETE';
  const guildId = channel.guild;
  const d = presentChannel(context, channel);
  return { t, d, open: true, ...(guildId === undefined ? {} : { guildId }) };
}

function event(
  context: SimulatorContext,
  t: string,
  d: Json,
  channel: string,
  openness: Openness = { open: true },
): Dispatch {
  const guildId = context.state.channels.get(channel)?.guild;
  return guildId === undefined
    ? { t, d, ...openness }
    : { t, d: { ...d, guild_id: guildId }, ...openness, guildId };
}

/** The bot was added to a guild, or removed from it: then `unavailable` is absent. */
function ofGuild(context: SimulatorContext, before: Guild | undefined, { id, installed }: Guild): Dispatch[] {
  if (before === undefined || before.installed === installed) return [];
  if (installed) return guildCreates(context).filter(({ guildId }) => guildId === id);
  return [{ t: 'GUILD_DELETE', d: { id }, open: true, guildId: id }];
}

/** All guilds of the bot, as `GUILD_CREATE` after READY. */
export function guildCreates(context: SimulatorContext): Dispatch[] {
  const { state } = context;
  return [...state.guilds.values()]
    .filter(({ installed }) => installed)
    .map((guild) => {
      const channels = [...state.channels.values()].filter((channel) => channel.guild === guild.id);
      const d: Json = {
        id: guild.id,
        name: guild.name,
        owner_id: guild.owner,
        unavailable: false,
        large: false,
        member_count: guild.members.length + 1,
        preferred_locale: guild.locale ?? 'en-US',
        roles: rolesOf(context, guild).map(presentRole),
        emojis: [],
        features: [],
        members: [...guild.members, context.identity.applicationId].map((id) => ({
          ...presentMember(context, guild.id, id),
          user: presentUser(context, id),
        })),
        channels: channels
          .filter(({ parent }) => parent === undefined)
          .map((one) =>
            mayView(context, one) ? presentChannel(context, one) : obfuscated(presentChannel(context, one)),
          ),
        threads: channels
          .filter((one) => isThread(one) && !isArchived(context, one) && mayView(context, one))
          .map((one) => presentChannel(context, one)),
      };
      return { t: 'GUILD_CREATE', d, open: true, guildId: guild.id };
    });
}
