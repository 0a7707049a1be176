import { messageId, type MessageId, userId, type UserId } from '../../../domain/index.ts';
import { readValue, readId, readList, readNumber, readString } from '../api/json-path.ts';
import {
  ANNOUNCEMENT_THREAD,
  BOT_DM_CONTEXT,
  DM_CHANNEL,
  PRIVATE_THREAD,
  PUBLIC_THREAD,
} from '../api/enums.ts';
import type { ChannelInfo } from './conversation-key.ts';
import { INTERACTION_TOKEN_TTL_MS } from '../api/call.ts';

/** The fields that all types of interactions share. See docs:interactions/receiving-and-responding#interaction-object. */
export type RawInteraction = {
  readonly id: MessageId;
  readonly kind: number;
  /** Authorizes responses until `expiresAtMs` (ms since 1970). */
  readonly token: string;
  readonly expiresAtMs: number;
  readonly place: ChannelInfo;
  readonly user: UserId;
  /** A BCP 47 tag. */
  readonly locale: string;
  /** Whether the person may manage the guild; undefined outside of guilds. */
  readonly admin: boolean | undefined;
  /** `false`: the person may not read the channel's message history. */
  readonly mayReadHistory: false | undefined;
  readonly roles: readonly string[];
  /** The message that the pressed component belongs to. */
  readonly on: MessageId | undefined;
  readonly data: unknown;
};

const THREAD_TYPES: ReadonlySet<number | undefined> = new Set([
  ANNOUNCEMENT_THREAD,
  PUBLIC_THREAD,
  PRIVATE_THREAD,
]);
/** ADMINISTRATOR or MANAGE_GUILD. */
const MANAGES_GUILD = 0x8n | 0x20n;
/** READ_MESSAGE_HISTORY or ADMINISTRATOR. */
const READS_HISTORY = 0x1_0000n | 0x8n;

/** Reads an interaction that was received at `now`. Undefined if its person, channel, type or token is missing. Never throws. */
export function readInteraction(body: unknown, now: number): RawInteraction | undefined {
  const kind = readNumber(body, 'type');
  const id = readId(body, 'id');
  const token = readString(body, 'token');
  const channel = readId(body, 'channel_id') ?? readId(body, 'channel', 'id');
  const user = readId(body, 'member', 'user', 'id') ?? readId(body, 'user', 'id');
  if (kind === undefined || !id || !token || !channel || !user) return undefined;
  const on = readId(body, 'message', 'id');
  const permissions = readString(body, 'member', 'permissions');
  return {
    id: messageId(id),
    kind,
    token,
    expiresAtMs: now + INTERACTION_TOKEN_TTL_MS,
    place: readChannelInfo(body, channel),
    user: userId(user),
    locale: (readString(body, 'locale') || 'en').slice(0, 20),
    admin: permissions === undefined ? undefined : canManageGuild(permissions),
    mayReadHistory: permissions === undefined || hasAny(permissions, READS_HISTORY) ? undefined : false,
    roles: readList(body, 'member', 'roles').filter((role) => typeof role === 'string'),
    on: on === undefined ? undefined : messageId(on),
    data: readValue(body, 'data'),
  };
}

function readChannelInfo(body: unknown, channel: string): ChannelInfo {
  const guild = readId(body, 'guild_id');
  const type = readNumber(body, 'channel', 'type');
  // Where the context is missing, a direct channel counts as that of the bot. Both have the number 1.
  const context: number = readNumber(body, 'context') ?? type ?? DM_CHANNEL;
  // oxlint-disable-next-line typescript/no-unsafe-enum-comparison -- the number that Discord has sent
  const isDirect = guild === undefined && context === BOT_DM_CONTEXT;
  const owners = readValue(body, 'authorizing_integration_owners');
  // Key "0": the app is installed in the guild, or this is the direct channel with the bot. Older payloads lack the field.
  const hasBot =
    guild === undefined ? isDirect : owners === undefined || readString(owners, '0') !== undefined;
  const parent = THREAD_TYPES.has(type) ? readId(body, 'channel', 'parent_id') : undefined;
  return { guild, channel: parent ?? channel, root: parent || isDirect ? channel : undefined, bot: hasBot };
}

/** Whether the permissions, a decimal bit set, include administering or managing the guild. */
export const canManageGuild = (permissions = ''): boolean => hasAny(permissions, MANAGES_GUILD);

const hasAny = (permissions: string, bits: bigint): boolean =>
  /^\d{1,30}$/.test(permissions) && (BigInt(permissions) & bits) !== 0n;
