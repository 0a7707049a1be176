import { snowflakeToMs } from './snowflake.ts';

/** When a message was sent (ms since 1970): Slack's ids are timestamps, Discord's contain one. Infinity for other ids. */
export function getMessageTimeMs(id: string): number {
  if (/^\d+$/u.test(id)) return snowflakeToMs(id);
  return /^\d+\.\d+$/u.test(id) ? Number(id) * 1_000 : Infinity;
}
