import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { type MessageId, type Thread, threadKey } from '../../domain/index.ts';
import { messageSentAt } from '../../utils/index.ts';

export { messageSentAt };

export type Item = Record<string, AttributeValue>;
export type Key = { readonly pk: AttributeValue.SMember; readonly sk: AttributeValue.SMember };

const PREFIX = 'TURN#';

/** Padded, Discord's ids sort by time as text. Slack's have a fixed length. */
const sortKey = (message: MessageId): string => PREFIX + message.padStart(20, '0');

export const turnKey = (thread: Thread, message: MessageId): Key => ({
  pk: { S: threadKey(thread) },
  sk: { S: sortKey(message) },
});

/** When the question of a turn was sent (s). */
export const askedAt = ({ sk }: Item): number => messageSentAt(sk?.S?.slice(PREFIX.length) ?? '');

/** The range of sort keys of turns. */
export const FIRST_TURN_KEY = PREFIX;
export const LAST_TURN_KEY = `${PREFIX}~`;
/** The sort key of the marker of a closed thread, after all turns: its root message was deleted. */
export const CLOSED_THREAD_KEY = `${PREFIX}~`;

export const numberValue = (n: number): { N: string } => ({ N: String(Math.floor(n)) });
