/** The messages that the bot can read: DMs and messages that mention it, or all. */
export type Profile = 'mentions' | 'all';

/**
 * The intents of each profile (docs:events/gateway): Guilds, GuildMessages and DirectMessages. `all` adds MessageContent, which has to be
 * enabled for the app in Discord's developer portal.
 */
export const INTENTS: Readonly<Record<Profile, number>> = { mentions: 4609, all: 37_377 };

/** Close codes after which a reconnect with the same settings fails again, and the reason of each. */
export const FATAL_CLOSE_CODES: ReadonlyMap<number, string> = new Map([
  [4004, 'the token of the bot is not valid'],
  [4010, 'the shard is not valid'],
  [4011, 'the bot is in too many guilds for so few shards'],
  [4012, 'the version of the gateway is no longer served'],
  [4013, 'the intents are not valid'],
  [4014, 'the intent Message Content is not switched on for this app'],
]);
