import { messageId, type MessageId, userId, type UserId } from '../../../domain/index.ts';
import { at, idAt, listAt, numberAt, textAt } from './json-path.ts';
import type { ChannelInfo } from '../lookup/conversation-key.ts';

export const KINDS = { ping: 1, command: 2, component: 3, autocomplete: 4, modal: 5 } as const;

/** What Discord calls an interaction, read as far as all kinds share it. See docs:interactions/receiving-and-responding. */
export type RawInteraction = {
  readonly id: MessageId;
  readonly kind: number;
  /** Lets the bot answer until `until` (ms since 1970). */
  readonly token: string;
  readonly until: number;
  readonly place: ChannelInfo;
  readonly user: UserId;
  /** A BCP 47 tag. */
  readonly locale: string;
  /** Whether the person may manage the guild; undefined outside of guilds. */
  readonly admin: boolean | undefined;
  /** The person may not see what was said in the channel before they came. */
  readonly mayReadHistory: false | undefined;
  readonly roles: readonly string[];
  /** The message that a pressed component stands on. */
  readonly on: MessageId | undefined;
  readonly data: unknown;
};

/** Threads of Discord's: of announcements, open, closed to all but their members. */
const THREADS = new Set([10, 11, 12]);
/** A chat of two. */
const DIRECT = 1;
/** Contexts: guild, chat with the bot, chat of other people. */
const BOT_DM = 1;
const MANAGES = 0x8n | 0x20n;
/** READ_MESSAGE_HISTORY, or ADMINISTRATOR. */
const READS_HISTORY = 0x1_0000n | 0x8n;
/** How long a ticket counts. Discord says 15 minutes; a call that leaves at their end would come too late. */
export const INTERACTION_TOKEN_TTL_MS = 15 * 60_000 - 20_000;

/** Reads an interaction that came at `now`. Undefined for what is none, or lacks who, where or the token. Never throws. */
export function readInteraction(body: unknown, now: number): RawInteraction | undefined {
  const kind = numberAt(body, 'type');
  const id = idAt(body, 'id');
  const token = textAt(body, 'token');
  const channel = idAt(body, 'channel_id') ?? idAt(body, 'channel', 'id');
  const user = idAt(body, 'member', 'user', 'id') ?? idAt(body, 'user', 'id');
  if (kind === undefined || !id || !token || !channel || !user) return undefined;
  const on = idAt(body, 'message', 'id');
  const permissions = textAt(body, 'member', 'permissions');
  return {
    id: messageId(id),
    kind,
    token,
    until: now + INTERACTION_TOKEN_TTL_MS,
    place: placeOf(body, channel),
    user: userId(user),
    locale: (textAt(body, 'locale') || 'en').slice(0, 20),
    admin: permissions === undefined ? undefined : manages(permissions),
    mayReadHistory: permissions === undefined || hasAny(permissions, READS_HISTORY) ? undefined : false,
    roles: listAt(body, 'member', 'roles').filter((role) => typeof role === 'string'),
    on: on === undefined ? undefined : messageId(on),
    data: at(body, 'data'),
  };
}

function placeOf(body: unknown, channel: string): ChannelInfo {
  const guild = idAt(body, 'guild_id');
  const type = numberAt(body, 'channel', 'type');
  const direct = guild === undefined && (numberAt(body, 'context') ?? type ?? DIRECT) === BOT_DM;
  const owners = at(body, 'authorizing_integration_owners');
  // Who installed the app: "0" stands for the guild, or for the chat with the bot. Absent in old payloads.
  const bot = guild === undefined ? direct : owners === undefined || textAt(owners, '0') !== undefined;
  const parent = type !== undefined && THREADS.has(type) ? idAt(body, 'channel', 'parent_id') : undefined;
  return { guild, channel: parent ?? channel, root: parent || direct ? channel : undefined, bot };
}

/** Whether these permissions, a decimal bit set, let their holder administer or manage a guild. */
export const manages = (permissions = ''): boolean => hasAny(permissions, MANAGES);

const hasAny = (permissions: string, bits: bigint): boolean =>
  /^\d{1,30}$/.test(permissions) && (BigInt(permissions) & bits) !== 0n;
