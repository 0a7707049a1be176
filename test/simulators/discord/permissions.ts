import { ALL_PERMISSIONS, BOT_PERMISSIONS, CHANNEL, PERMISSION, PERSON_PERMISSIONS } from './flags.ts';
import { RefusalError } from './refusal.ts';
import type { Channel, Guild } from './state.ts';
import type { SimulatorContext } from './context.ts';

/** A role as Discord computes with it. */
export type Role = {
  readonly id: string;
  readonly name: string;
  /** A decimal bit set. */
  readonly permissions: string;
  readonly managed: boolean;
  /** For a bot's managed role: the bot's id. */
  readonly bot?: string;
};
export type Overwrite = NonNullable<Channel['overwrites']>[number];

/** Types of overwrites. */
const [ROLE, MEMBER] = [0, 1];
const VOICE: ReadonlySet<number> = new Set([CHANNEL.voice, CHANNEL.stage]);

/** All roles of a guild: @everyone, which has the guild's id, the bot's managed role, and others. */
export function rolesOf({ identity }: SimulatorContext, guild: Guild): Role[] {
  const roles = (guild.roles ?? []).map(({ id, name, permissions }) => ({
    id,
    name,
    permissions,
    managed: false,
  }));
  const less = (permissions: bigint): string => String(permissions & ~BigInt(guild.denied));
  const everyone: Role = {
    id: guild.id,
    name: '@everyone',
    permissions: less(PERSON_PERMISSIONS),
    managed: false,
  };
  const own: Role = {
    id: botRoleOf(guild),
    name: identity.botName,
    permissions: less(BOT_PERMISSIONS),
    managed: true,
    bot: identity.applicationId,
  };
  return [...(roles.some(({ id }) => id === guild.id) ? [] : [everyone]), ...roles, own];
}

/** The id of the bot's managed role in a guild. */
const botRoleOf = ({ id }: Guild): string => String(BigInt(id) + 500n);

/** The roles of a member besides @everyone. */
export function memberRolesOf({ identity }: SimulatorContext, guild: Guild, member: string): string[] {
  const roleIds = (guild.roles ?? []).filter(({ members }) => members.includes(member)).map(({ id }) => id);
  return member === identity.applicationId ? [botRoleOf(guild), ...roleIds] : roleIds;
}

/** The overwrites of a channel; a permission that only the bot is denied is a member overwrite. */
export function overwritesOf(
  { identity }: SimulatorContext,
  { overwrites = [], denied = '0' }: Channel,
): Overwrite[] {
  if (denied === '0') return overwrites;
  return [...overwrites, { id: identity.applicationId, type: MEMBER, allow: '0', deny: denied }];
}

/**
 * The permissions of the bot in a channel as a bit set: docs:topics/permissions, with the implicit denials. Threads
 * have the permissions of their parent.
 */
export function permissionsIn(context: SimulatorContext, channel: Channel): bigint {
  const { state } = context;
  const guild = channel.guild === undefined ? undefined : state.guilds.get(channel.guild);
  if (channel.guild === undefined || !guild) return ALL_PERMISSIONS;
  const thread = channel.parent !== undefined;
  const place = thread ? (state.channels.get(channel.parent ?? '') ?? channel) : channel;
  const granted = withOverwrites(context, guild, place);
  // A timeout has no effect on administrators: docs:topics/permissions#permissions-for-timed-out-members.
  const isRestricted = timedOut(context, guild) && (granted & PERMISSION.administrator) === 0n;
  return implied(isRestricted ? granted & LEFT_WHEN_TIMED_OUT : granted, place.type, thread);
}

function withOverwrites(context: SimulatorContext, guild: Guild, channel: Channel): bigint {
  const me = context.identity.applicationId;
  const mine = memberRolesOf(context, guild, me);
  const base = rolesOf(context, guild)
    .filter(({ id }) => id === guild.id || mine.includes(id))
    .reduce((all, { permissions }) => all | BigInt(permissions), 0n);
  if ((base & PERMISSION.administrator) !== 0n) return ALL_PERMISSIONS;
  const overwrites = overwritesOf(context, channel);
  const apply = (permissions: bigint, of: (one: Overwrite) => boolean): bigint => {
    const applied = overwrites.filter(of);
    const denied = applied.reduce((all, { deny }) => all | BigInt(deny), 0n);
    return applied.reduce((all, { allow }) => all | BigInt(allow), permissions & ~denied);
  };
  const forAll = apply(base, ({ id }) => id === guild.id);
  const forRoles = apply(forAll, ({ id, type }) => type === ROLE && mine.includes(id));
  return apply(forRoles, ({ id, type }) => type === MEMBER && id === me);
}

const LEFT_WHEN_TIMED_OUT = PERMISSION.viewChannel | PERMISSION.readHistory;

const timedOut = (context: SimulatorContext, { botTimedOutUntil = 0 }: Guild): boolean =>
  botTimedOutUntil > context.now();

/** Without the permission to view, connect or send, others have no effect. */
function implied(permissions: bigint, type: number, thread: boolean): bigint {
  if ((permissions & PERMISSION.viewChannel) === 0n) return 0n;
  if (VOICE.has(type) && (permissions & PERMISSION.connect) === 0n) return PERMISSION.viewChannel;
  const speak = thread ? PERMISSION.sendInThreads : PERMISSION.sendMessages;
  if ((permissions & speak) !== 0n) return permissions;
  return permissions & ~(PERMISSION.attachFiles | PERMISSION.embedLinks | PERMISSION.mentionEveryone);
}

export const may = (context: SimulatorContext, channel: Channel, permission: bigint): boolean =>
  (permissionsIn(context, channel) & permission) !== 0n;

/** Throws 50013 for a missing permission. */
export function insist(context: SimulatorContext, channel: Channel, permission: bigint): void {
  if (!may(context, channel, permission)) throw new RefusalError(50013);
}

/** Whether the bot can see that a channel exists. */
export function mayView(context: SimulatorContext, channel: Channel): boolean {
  const guild = channel.guild === undefined ? undefined : context.state.guilds.get(channel.guild);
  if ((guild && !guild.installed) || channel.recipients) return false;
  if (!may(context, channel, PERMISSION.viewChannel)) return false;
  const member = channel.members?.includes(context.identity.applicationId) === true;
  return channel.type !== CHANNEL.privateThread || member || may(context, channel, PERMISSION.manageThreads);
}

/** Whether the bot may read the channel: in all but voice channels that equals seeing it. */
export const mayConnect = (context: SimulatorContext, channel: Channel): boolean =>
  !VOICE.has(channel.type) || may(context, channel, PERMISSION.connect);

/** A channel that the bot can see. Throws 10003 for one that does not exist, 50001 for one that it may not see. */
export function channelOf(context: SimulatorContext, id: string): Channel {
  const channel = context.state.channels.get(id);
  if (!channel) throw new RefusalError(10003);
  if (!mayView(context, channel)) throw new RefusalError(50001);
  return channel;
}

/**
 * A channel whose messages the bot can access: in voice channels that requires Connect too. Throws as
 * `extractChannel`, and 50001. Documented for reading (docs:resources/message); for writing it is reported by people.
 */
export function messageChannelOf(context: SimulatorContext, id: string): Channel {
  const channel = channelOf(context, id);
  if (!mayConnect(context, channel)) throw new RefusalError(50001);
  return channel;
}
