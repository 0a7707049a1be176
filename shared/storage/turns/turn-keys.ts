import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { type MessageId, type Thread, threadKey } from '../../domain/index.ts';
import { snowflakeToMs } from '../../utils/snowflake.ts';

export type Item = Record<string, AttributeValue>;
export type Key = { readonly pk: AttributeValue.SMember; readonly sk: AttributeValue.SMember };

const PREFIX = 'TURN#';

/** Discord's ids grow in length with time; padded, they sort as text. Slack's keep theirs. */
const sortKey = (message: MessageId): string => PREFIX + message.padStart(20, '0');

export const keyOf = (thread: Thread, message: MessageId): Key => ({
  pk: { S: threadKey(thread) },
  sk: { S: sortKey(message) },
});

/** When a turn was asked for (s). */
export const askedAt = ({ sk }: Item): number => sentAt(sk?.S?.slice(PREFIX.length) ?? '');

/** When a message was sent (s): Slack's ids are that moment, Discord's hold it. What bears another id is never old. */
export function sentAt(id: string): number {
  if (/^\d+$/u.test(id)) return snowflakeToMs(id) / 1_000;
  return /^\d+\.\d+$/u.test(id) ? Number(id) : Infinity;
}

/** The first and last sort key a turn can have. */
export const FIRST = PREFIX;
export const LAST = `${PREFIX}~`;
/** Stands behind all turns of a thread that was closed: its root is gone. */
export const CLOSED = `${PREFIX}~`;

export const numeral = (n: number): { N: string } => ({ N: String(Math.floor(n)) });
