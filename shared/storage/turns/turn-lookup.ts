import {
  messageId,
  type MessageId,
  type Thread,
  threadKey,
  type Turn,
  type TurnRef,
  type UserId,
} from '../../domain/index.ts';
import { readTurnContent } from '../dynamodb/turn-compression.ts';
import { parseTurnItem, getTurnRef, type TurnItem } from './turn-item.ts';
import type { TurnTable } from './turn-table.ts';
import { CLOSED_THREAD_KEY, FIRST_TURN_KEY, type Item, LAST_TURN_KEY } from '../keys/item-keys.ts';

/** A turn that was found by a message. */
export type FoundTurn = {
  readonly turn: TurnRef;
  /** Undefined until it has ended, and if it cannot be read. */
  readonly content: Turn | undefined;
  readonly unreadable: boolean;
  /** The turn that answers this question together with others. */
  readonly mergedInto: MessageId | undefined;
  /** The number of claims: more than one after an interrupted attempt, or when it was answered again. */
  readonly fence: number;
};

/** The number of newest turns that are searched for an answer. */
const MAX_SEARCHED_TURNS = 50;

/**
 * Finds the turn with this question or answer message; without a message, the last ended turn. Searches only
 * the newest turns.
 */
export async function findTurnOfMessage(
  table: TurnTable,
  thread: Thread,
  message: MessageId | undefined,
): Promise<FoundTurn | undefined> {
  const question = message && (await table.find({ thread, message }));
  if (question) return toFoundTurn(question);
  const { Items = [] } = await table.query(thread, FIRST_TURN_KEY, LAST_TURN_KEY, {
    ScanIndexForward: false,
    Limit: MAX_SEARCHED_TURNS,
  });
  const turns = Items.filter((item) => item['sk']?.S !== CLOSED_THREAD_KEY && table.isAlive(item)).map(
    parseTurnItem,
  );
  const item =
    message === undefined
      ? turns.find(({ body }) => body !== undefined)
      : turns.find(({ posted }) => posted?.L.some(({ S }) => S === message));
  return item && toFoundTurn(item);
}

const getSortKey = ({ sk }: Item): string => sk?.S ?? '';

/** How many of the last questions are read: those that were deleted a moment ago may still be in the index. */
const MAX_READ_QUESTIONS = 5;

/**
 * Finds the last question of a person in a channel, in whichever thread, that was not deleted. One that was asked within the last second may be missing; of a
 * person who asked more than about 28,000 there, so may one in a thread that began before the others.
 */
export async function findLastTurnOfPerson(
  table: TurnTable,
  place: Omit<Thread, 'root'>,
  user: UserId,
): Promise<FoundTurn | undefined> {
  const keys = await table.keysOfPerson(user, threadKey({ ...place, root: messageId('') }));
  // Without ratings of other answers, whose keys begin differently.
  const newest = keys
    .filter((key) => getSortKey(key).startsWith(FIRST_TURN_KEY))
    .toSorted((a, b) => (getSortKey(a) < getSortKey(b) ? 1 : -1))
    .slice(0, MAX_READ_QUESTIONS);
  for (const key of newest) {
    const item = await table.get(key);
    const turn = item && table.isAlive(item) ? parseTurnItem(item) : undefined;
    if (turn && turn.mark?.S !== 'deleted') return toFoundTurn(turn);
  }
  return undefined;
}

/** Returns who asked the first question of a thread. */
export async function findThreadStarter(table: TurnTable, thread: Thread): Promise<UserId | undefined> {
  const { Items = [] } = await table.query(thread, FIRST_TURN_KEY, LAST_TURN_KEY, { Limit: 1 });
  const first = Items.find((item) => item['sk']?.S !== CLOSED_THREAD_KEY);
  return first && getTurnRef(parseTurnItem(first)).asker;
}

function toFoundTurn(item: TurnItem): FoundTurn {
  const turn = getTurnRef(item);
  const words = item.body && readTurnContent(item.body.B);
  return {
    turn,
    content: words && { message: turn.message, ...words },
    unreadable: item.body !== undefined && words === undefined,
    mergedInto: item.into && messageId(item.into.S),
    fence: item.fence ?? 0,
  };
}
