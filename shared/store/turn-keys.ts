import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { type MessageId, type Thread, threadKey } from '../conversation/index.ts';

export type Item = Record<string, AttributeValue>;
export type Key = { readonly pk: AttributeValue.SMember; readonly sk: AttributeValue.SMember };

const PREFIX = 'TURN#';

/** Discord's ids grow in length with time; padded, they sort as text. Slack's keep theirs. */
const sortKey = (message: MessageId): string => PREFIX + message.padStart(20, '0');

export const keyOf = (thread: Thread, message: MessageId): Key => ({
  pk: { S: threadKey(thread) },
  sk: { S: sortKey(message) },
});

/** The first and last sort key a turn can have. */
export const FIRST = PREFIX;
export const LAST = `${PREFIX}~`;
/** Stands behind all turns of a thread that was closed: its root is gone. */
export const CLOSED = `${PREFIX}~`;

export const numeral = (n: number): { N: string } => ({ N: String(Math.floor(n)) });
