import type { PermissionFlagsBits } from 'discord-api-types/v10';
import { NO_GUILD, type Thread, type UserId, type WorkspaceId } from '../../../domain/index.ts';
import type { FindChannelAccess, MemberRoles } from '../../ports/index.ts';
import { TtlCache } from '../../../utils/index.ts';
import { DiscordApiError } from '../api/call.ts';
import { getRefusalKind } from '../api/errors.ts';
import type { DiscordDeps } from '../deps.ts';
import { readValue, readBits, readId, readList, readNumber } from '../api/json-path.ts';

type Permission = { readonly bit: bigint; readonly name: string };

/** The permissions that the bot uses, with their names in Discord's settings. */
export const PERMISSIONS = {
  AddReactions: { bit: 1n << 6n, name: 'Add Reactions' },
  ViewChannel: { bit: 1n << 10n, name: 'View Channel' },
  SendMessages: { bit: 1n << 11n, name: 'Send Messages' },
  EmbedLinks: { bit: 1n << 14n, name: 'Embed Links' },
  AttachFiles: { bit: 1n << 15n, name: 'Attach Files' },
  ReadMessageHistory: { bit: 1n << 16n, name: 'Read Message History' },
  Connect: { bit: 1n << 20n, name: 'Connect' },
  CreatePublicThreads: { bit: 1n << 35n, name: 'Create Public Threads' },
  SendMessagesInThreads: { bit: 1n << 38n, name: 'Send Messages in Threads' },
} as const satisfies Partial<Record<keyof typeof PermissionFlagsBits, Permission>>;

export type PermissionName = keyof typeof PERMISSIONS;

export const ADMINISTRATOR = 1n << 3n;
const ALL_PERMISSIONS = Object.values(PERMISSIONS).reduce((all, { bit }) => all | bit, ADMINISTRATOR);
/**
 * The permissions that remain during a timeout, which has no effect on owners and administrators.
 * See docs:topics/permissions#permissions-for-timed-out-members.
 */
const TIMEOUT_PERMISSIONS = PERMISSIONS.ViewChannel.bit | PERMISSIONS.ReadMessageHistory.bit;
/** The types of channels in which people speak: voice and stage channels. */
export const VOICE_TYPES: ReadonlySet<unknown> = new Set([2, 13]);
/** The types of channels in which a thread can be created from a message: text and announcement channels. */
const THREADED_TYPES: ReadonlySet<unknown> = new Set([0, 5]);
const CACHE_TTL_MS = 60_000;

/** The bot's permissions in a channel of a guild and in its threads. */
export type ChannelPermissions = {
  /** A bit set. */
  readonly granted: bigint;
  /** Whether the channel type allows threads that start from a message. */
  readonly supportsThreads: boolean;
  /** Whether it is the text chat of a voice or stage channel. */
  readonly isVoice: boolean;
};

/** Finds the bot's permissions in the channel of a thread; undefined if they are unknown. Never rejects. */
export type PermissionFinder = (
  of: Pick<Thread, 'workspace' | 'channel'>,
) => Promise<ChannelPermissions | undefined>;

/**
 * Computes the bot's permissions in a channel by Discord's rules (docs:topics/permissions#permission-overwrites) from the roles of the
 * guild and of the bot and from the overwrites of the channel. Cached for a minute. A hint only: if it is unknown or outdated,
 * Discord's response decides.
 */
export function createPermissionFinder({
  call,
  guild,
  applicationId,
  time,
}: Pick<DiscordDeps, 'call' | 'guild' | 'applicationId' | 'time'>): PermissionFinder {
  const cache = new TtlCache<unknown>({ now: time.now, ttlMs: CACHE_TTL_MS });
  const get = (path: string) => cache.get(path, () => call({ method: 'GET', path }));
  return async ({ workspace, channel }) => {
    if (String(workspace) === NO_GUILD) return undefined;
    try {
      const { roles, owner } = await guild(workspace);
      if (!roles) return undefined;
      const [member, place] = await Promise.all([
        get(`/guilds/${workspace}/members/${applicationId}`),
        get(`/channels/${channel}`).catch((error: unknown) => {
          if (getRefusalKind(error) === 'forbidden') return 'out-of-sight' as const;
          throw error;
        }),
      ]);
      if (place === 'out-of-sight') return { granted: 0n, supportsThreads: false, isVoice: false };
      const type = readNumber(place, 'type');
      const granted = computePermissions({
        roles,
        owner,
        user: applicationId,
        guild: workspace,
        memberRoles: readList(member, 'roles').filter((role) => typeof role === 'string'),
        place,
      });
      const isRestricted = isTimedOut(member, time.now()) && (granted & ADMINISTRATOR) === 0n;
      return {
        granted: isRestricted ? granted & TIMEOUT_PERMISSIONS : granted,
        supportsThreads: THREADED_TYPES.has(type),
        isVoice: VOICE_TYPES.has(type),
      };
    } catch {
      return undefined;
    }
  };
}

type PermissionInput = {
  readonly roles: ReadonlyMap<string, bigint>;
  readonly owner: string | undefined;
  /** Whose permissions: the bot, or a person. */
  readonly user: string;
  readonly guild: string;
  readonly memberRoles: readonly string[];
  readonly place: unknown;
};

function computePermissions({ roles, owner, user, guild, memberRoles, place }: PermissionInput): bigint {
  const base = [guild, ...memberRoles].reduce((all, role) => all | (roles.get(role) ?? 0n), 0n);
  if (owner === user || (base & ADMINISTRATOR) !== 0n) return ALL_PERMISSIONS;
  const overwrites = readList(place, 'permission_overwrites');
  const apply = (permissions: bigint, ids: readonly string[]): bigint => {
    const matching = overwrites.filter((one) => ids.includes(readId(one, 'id') ?? ''));
    const denied = matching.reduce<bigint>((all, one) => all | readBits(one, 'deny'), 0n);
    return matching.reduce<bigint>((all, one) => all | readBits(one, 'allow'), permissions & ~denied);
  };
  return apply(apply(apply(base, [guild]), memberRoles), [user]);
}

/**
 * Finds out whether a member may view a channel, by Discord's rules as above, from their roles as `memberRoles` finds them. Unknown outside of
 * guilds and where Discord refuses to tell. Rejects if Discord does not respond, or limits the rate.
 */
export function createChannelAccessFinder({
  call,
  guild,
  memberRoles,
}: Pick<DiscordDeps, 'call' | 'guild'> & {
  readonly memberRoles: (workspace: WorkspaceId, user: UserId) => Promise<MemberRoles>;
}): FindChannelAccess {
  return async ({ workspace, channel }, user) => {
    if (String(workspace) === NO_GUILD) return 'unknown';
    try {
      const [{ roles, owner }, member, place] = await Promise.all([
        guild(workspace),
        memberRoles(workspace, user),
        call({ method: 'GET', path: `/channels/${channel}` }),
      ]);
      if (member.hasLeft) return 'denied';
      // A thread has the overwrites of its parent.
      if (!roles || !Array.isArray(readValue(place, 'permission_overwrites'))) return 'unknown';
      const input = { roles, owner, user, guild: workspace, memberRoles: member.roles, place };
      return (computePermissions(input) & PERMISSIONS.ViewChannel.bit) === 0n ? 'denied' : 'allowed';
    } catch (error) {
      if (error instanceof DiscordApiError) return 'unknown';
      throw error;
    }
  };
}

function isTimedOut(member: unknown, now: number): boolean {
  const timeoutEnd = readValue(member, 'communication_disabled_until');
  return typeof timeoutEnd === 'string' && Date.parse(timeoutEnd) > now;
}

/** Whether a permission is known to be missing. */
export const isMissing = (permissions: ChannelPermissions | undefined, permission: PermissionName): boolean =>
  permissions !== undefined && (permissions.granted & PERMISSIONS[permission].bit) === 0n;

/** The names of the permissions that are known to be missing. Without the permission to see the channel, only that one is named. */
export function findMissing(
  permissions: ChannelPermissions | undefined,
  needed: readonly PermissionName[],
): string[] {
  if (!permissions) return [];
  if (isMissing(permissions, 'ViewChannel')) return [PERMISSIONS.ViewChannel.name];
  if (permissions.isVoice && isMissing(permissions, 'Connect')) return [PERMISSIONS.Connect.name];
  return needed.filter((one) => isMissing(permissions, one)).map((one) => PERMISSIONS[one].name);
}
