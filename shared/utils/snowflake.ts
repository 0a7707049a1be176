/** Discord's ids count milliseconds from the start of 2015. Source: docs.discord.com/developers/reference#snowflakes. */
const DISCORD_EPOCH_MS = 1_420_070_400_000;

/** Returns when a Discord id was created, in ms since 1970. */
export const snowflakeToMs = (snowflake: string): number =>
  Number(BigInt(snowflake) >> 22n) + DISCORD_EPOCH_MS;

/** Returns the lowest Discord id that can be created at this time (ms since 1970). */
export const msToSnowflake = (ms: number): string =>
  String(BigInt(Math.max(0, Math.floor(ms) - DISCORD_EPOCH_MS)) << 22n);
