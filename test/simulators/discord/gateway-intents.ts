import { withoutIntent } from './dispatch.ts';
import type { Json } from './json.ts';

/** A gateway event with its name, and what decides who receives it. */
export type GatewayEvent = {
  /** `MESSAGE_CREATE` and so on. */
  readonly t: string;
  readonly d: Json;
  /** Absent in DMs. */
  readonly guildId?: string;
  /** Whether its content may be sent without the intent MESSAGE_CONTENT. */
  readonly open: boolean;
  /** The same of the message that it replies to. False by default. */
  readonly openReply?: boolean;
};

/** Bits of `intents` in IDENTIFY (docs: events/gateway). */
export const INTENT = {
  guilds: 1 << 0,
  guildMembers: 1 << 1,
  guildPresences: 1 << 8,
  guildMessages: 1 << 9,
  guildReactions: 1 << 10,
  guildTyping: 1 << 11,
  directMessages: 1 << 12,
  directReactions: 1 << 13,
  directTyping: 1 << 14,
  messageContent: 1 << 15,
} as const;

/** The highest known bit: 25, polls in DMs. */
const KNOWN = 2 ** 26 - 1;
/** Obsolete bits. */
const UNUSED = (1 << 17) | (1 << 18) | (1 << 19) | (1 << 22) | (1 << 23);

export const isKnown = (intents: number): boolean =>
  Number.isInteger(intents) && intents >= 0 && intents <= KNOWN && (intents & UNUSED) === 0;

/** Those of `intents` that must be enabled for the app; `allowed` are. */
export const disallowed = (intents: number, allowed: number): boolean =>
  (intents & (INTENT.guildMembers | INTENT.guildPresences | INTENT.messageContent) & ~allowed) !== 0;

const BY_NAME: readonly (readonly [RegExp, guild: number, direct: number])[] = [
  [/^(GUILD|CHANNEL|THREAD)_(CREATE|UPDATE|DELETE)$|^THREAD_LIST_SYNC$/, INTENT.guilds, 0],
  [/^MESSAGE_REACTION_/, INTENT.guildReactions, INTENT.directReactions],
  [/^MESSAGE_/, INTENT.guildMessages, INTENT.directMessages],
  [/^TYPING_START$/, INTENT.guildTyping, INTENT.directTyping],
];

/** The event as a session with these intents receives it, or undefined. */
export function asSeenBy(event: GatewayEvent, intents: number): GatewayEvent | undefined {
  const [, guild, direct] = BY_NAME.find(([name]) => name.test(event.t)) ?? [undefined, 0, 0];
  if ((intents & (event.guildId === undefined ? direct : guild)) === 0) return undefined;
  return (intents & INTENT.messageContent) === 0 ? { ...event, d: withoutIntent(event.d, event) } : event;
}
