import {
  messageId,
  type MessageId,
  type Thread,
  type Turn,
  type TurnRef,
  type UserId,
} from '../../domain/index.ts';
import { readWords } from '../dynamodb/turn-compression.ts';
import { CLOSED, FIRST, LAST, readItem, refOf, type TurnItem } from './turn-item.ts';
import type { TurnTable } from './turn-table.ts';

/** A turn as people point at it. */
export type LocatedTurn = {
  readonly turn: TurnRef;
  /** Undefined while it is not over, and where it cannot be read. */
  readonly said: Turn | undefined;
  readonly unreadable: boolean;
  /** The turn that answers this question together with others. */
  readonly into: MessageId | undefined;
  /** How often it was claimed: more than once if an attempt broke off, or it was answered again. */
  readonly fence: number;
};

/** An answer is looked for among so many of the newest questions. */
const LOOKED_AT = 50;

/** The turn that asked with a message or answered by it; without one, the last that is over. Newest questions only. */
export async function findTurnOfMessage(
  table: TurnTable,
  thread: Thread,
  message: MessageId | undefined,
): Promise<LocatedTurn | undefined> {
  const asked = message && (await table.find({ thread, message }));
  if (asked) return seen(asked);
  const { Items = [] } = await table.query(thread, FIRST, LAST, {
    ScanIndexForward: false,
    Limit: LOOKED_AT,
  });
  const turns = Items.filter((item) => item['sk']?.S !== CLOSED && table.alive(item)).map(readItem);
  const found =
    message === undefined
      ? turns.find(({ body }) => body !== undefined)
      : turns.find(({ posted }) => posted?.L.some(({ S }) => S === message));
  return found && seen(found);
}

/** Who asked first in a thread. */
export async function findThreadStarter(table: TurnTable, thread: Thread): Promise<UserId | undefined> {
  const { Items = [] } = await table.query(thread, FIRST, LAST, { Limit: 1 });
  const first = Items.find((item) => item['sk']?.S !== CLOSED);
  return first && refOf(readItem(first)).asker;
}

function seen(item: TurnItem): LocatedTurn {
  const turn = refOf(item);
  const words = item.body && readWords(item.body.B);
  return {
    turn,
    said: words && { message: turn.message, ...words },
    unreadable: item.body !== undefined && words === undefined,
    into: item.into && messageId(item.into.S),
    fence: item.fence ?? 0,
  };
}
