import { ALL_PERMISSIONS, CHANNEL, PERMISSION } from './flags.ts';
import type { Identity } from './identity.ts';
import type { Json } from './json.ts';
import { Refusal } from './refusal.ts';
import type { Snowflakes } from './snowflakes.ts';
import type { Change, Channel, Guild, Message, State, User } from './state.ts';

/** What the routes work on: what Discord holds, its time, and who hears of changes. */
export type World = {
  readonly identity: Identity;
  readonly now: () => number;
  readonly state: State;
  readonly ids: Snowflakes;
  /** Where files are fetched, without a slash at the end. */
  readonly cdnUrl: () => string;
  /** Signs the addresses of files. */
  readonly cdnKey: string;
  /** Where the gateway is, and how many sessions may still be begun; the gateway counts them down. */
  readonly gateway: { url: string; total: number; remaining: number; resetAt: number };
  readonly onChange: Set<(change: Change) => void>;
  readonly onDispatch: Set<(dispatch: Dispatch) => void>;
};

/** One event as the gateway sends it, and what the gateway needs to know to decide who gets it. */
export type Dispatch = {
  /** `MESSAGE_CREATE` and so on. */
  readonly t: string;
  readonly d: Json;
  /** Absent in DMs. */
  readonly guildId?: string;
  /** Whether its content may be read without the intent MESSAGE_CONTENT; see `withoutContent`. */
  readonly open: boolean;
};

export function userOf(world: World, id: string): User {
  const found = world.state.users.get(id);
  if (!found) throw new Refusal(10013);
  return found;
}

/** A channel that the bot can see. Throws 10003 for what does not exist, 50001 for what it may not see. */
export function channelOf(world: World, id: string): Channel {
  const channel = world.state.channels.get(id);
  if (!channel) throw new Refusal(10003);
  const guild = channel.guild === undefined ? undefined : world.state.guilds.get(channel.guild);
  if (guild && !guild.installed) throw new Refusal(50001);
  if (channel.type === CHANNEL.privateThread && !channel.members?.includes(world.identity.applicationId))
    throw new Refusal(50001);
  if (!may(world, channel, PERMISSION.viewChannel)) throw new Refusal(50001);
  return channel;
}

/** A message that is there for all to see; 10008 otherwise. */
export function messageOf(world: World, channel: Channel, id: string): Message {
  const message = world.state.messages.get(channel.id)?.get(id);
  if (!message || message.ephemeralTo !== undefined) throw new Refusal(10008);
  return message;
}

/** What the bot may do in a channel, as a bit set. Threads have the permissions of the channel they hang in. */
export function permissionsIn(world: World, channel: Channel): bigint {
  const { state } = world;
  const guild = channel.guild === undefined ? undefined : state.guilds.get(channel.guild);
  if (channel.guild === undefined) return ALL_PERMISSIONS;
  const parent = channel.parent === undefined ? undefined : state.channels.get(channel.parent);
  const denied = [guild, parent, channel].reduce((all, one) => all | BigInt(one?.denied ?? '0'), 0n);
  return ALL_PERMISSIONS & ~denied;
}

export const may = (world: World, channel: Channel, permission: bigint): boolean =>
  (permissionsIn(world, channel) & permission) !== 0n;

/** Throws 50013 for what the bot may not. */
export function insist(world: World, channel: Channel, permission: bigint): void {
  if (!may(world, channel, permission)) throw new Refusal(50013);
}

export const isThread = ({ type }: Channel): boolean =>
  type === CHANNEL.publicThread || type === CHANNEL.privateThread;

/** Whether a thread is archived, by hand or by its age. */
export function isArchived(world: World, { archived, autoArchive = 1_440, active = 0 }: Channel): boolean {
  return archived === true || world.now() - active >= autoArchive * 60_000;
}

/** The largest file that may be sent here, in bytes. */
export function fileLimit(guild: Guild | undefined): number {
  return (TIERS[guild?.tier ?? 0] ?? 10) * 1_048_576;
}

const TIERS = [10, 10, 50, 100];

/**
 * Whether the bot may read what a message holds without the intent MESSAGE_CONTENT: its own, in a DM, one that mentions
 * it, or one that replies to it with a ping.
 */
export function isOpen(world: World, message: Message): boolean {
  const { applicationId } = world.identity;
  if (message.author === applicationId || message.webhook === applicationId) return true;
  if (world.state.channels.get(message.channel)?.type === CHANNEL.dm) return true;
  return message.mentions.includes(applicationId);
}
