import { snowflakeToMs } from './snowflake.ts';

/** When a message was sent (s): Slack's ids are timestamps, Discord's contain one. Infinity for other ids. */
export function getMessageTime(id: string): number {
  if (/^\d+$/u.test(id)) return snowflakeToMs(id) / 1_000;
  return /^\d+\.\d+$/u.test(id) ? Number(id) : Infinity;
}
