import {
  questionText,
  contextText,
  estimateTokens,
  messageId,
  type MessageId,
  type SizedTurn,
  type Turn,
  type TurnRef,
} from '../../domain/index.ts';
import { pendingQuestionsIn, type PendingQuestion } from './pending-questions.ts';
import { readWords } from '../dynamodb/turn-compression.ts';
import { CLOSED, FIRST, type Item, keyOf, LAST, readItem, sizeOf, type TurnItem } from './turn-item.ts';
import type { TurnTable } from './turn-table.ts';

/** An ended turn with what it costs to read and to send. */
export type PastTurn = Turn &
  SizedTurn & {
    readonly number: number;
    readonly sk: string;
    /** The card with questions to ask next, if one was shown below its answer; it may be gone since. */
    readonly followUps?: MessageId | undefined;
  };

/** The past of a turn. */
export type ThreadPast = {
  /** Oldest first: from the first turn of the last prompt on. */
  readonly turns: readonly PastTurn[];
  /** The sort key at which the next prompt begins, unless it is trimmed. */
  readonly from: string;
  /** The number of this turn in its thread, from 1. */
  readonly number: number;
  /** Questions asked after this one that wait for their turn, in order. */
  readonly waiting: readonly PendingQuestion[];
  /** The message that the thread hangs on is gone: nothing more is to be said there. */
  readonly closed: boolean;
  /** How many ended turns would be among these, but cannot be read. */
  readonly unreadable: number;
};

/** How many items to look at for the last ended turn: mostly it is the one before this; what waits lies between. */
const LOOK_BACK = { first: 2, further: 6 };

/**
 * Reads the past in two looks, so that it costs the same at turn 5 and turn 500. The newest items are read
 * consistently, for they may be milliseconds old: what waits, this turn, the last one that ended. That one knows where
 * its own prompt began; what lies between is older and is read at half the price. Turns are numbered: if the cheap read
 * misses one, it is made again consistently.
 */
export async function readPast(table: TurnTable, ref: TurnRef): Promise<ThreadPast> {
  const { last, later, closed } = await newest(table, ref);
  const waiting = later.flatMap((item) => pendingQuestionsIn(item, ref));
  if (!last) return { ...noPast(ref), waiting, closed };

  const number = numberOf(last) + 1;
  const start = last.from?.S ?? last.sk.S;
  const read = (consistent: boolean): Promise<TurnItem[]> =>
    between(table, ref, start, last.sk.S, consistent);
  const cheap = start === last.sk.S ? [] : await read(false);
  const older = unbroken([...cheap, last]) ? cheap : await read(true);
  const items = [...older, last];
  const turns = items.flatMap(pastTurn);
  return { turns, from: start, number, waiting, closed, unreadable: items.length - turns.length };
}

/** The past of a question before which nothing was said. */
export const noPast = ({ thread, message }: TurnRef): ThreadPast => ({
  turns: [],
  from: keyOf(thread, message).sk.S,
  number: 1,
  waiting: [],
  closed: false,
  unreadable: 0,
});

type Page = { readonly Items?: Item[] | undefined; readonly LastEvaluatedKey?: Item | undefined };

const numberOf = ({ n }: TurnItem): number => n ?? 1;

const unbroken = (items: readonly TurnItem[]): boolean =>
  items.every((item, i) => {
    const before = items[i - 1];
    return !before || numberOf(item) <= numberOf(before) + 1;
  });

type Newest = { readonly last?: TurnItem; readonly later: TurnItem[]; readonly closed: boolean };

/** The last turn that ended before this one, and what came after this one, oldest first. */
async function newest(table: TurnTable, ref: TurnRef): Promise<Newest> {
  const own = keyOf(ref.thread, ref.message).sk.S;
  const later: TurnItem[] = [];
  let closed = false;
  let start: Item | undefined;
  do {
    const page: Page = await table.query(ref.thread, FIRST, LAST, {
      ScanIndexForward: false,
      Limit: start ? LOOK_BACK.further : LOOK_BACK.first,
      ConsistentRead: true,
      ...(start && { ExclusiveStartKey: start }),
    });
    for (const item of page.Items ?? []) {
      const sk = item['sk']?.S ?? '';
      if (sk === CLOSED) closed = true;
      else if (sk > own) later.unshift(readItem(item));
      else if (sk < own && item['body'] !== undefined) {
        return table.alive(item) ? { last: readItem(item), later, closed } : { later, closed };
      }
    }
    start = page.LastEvaluatedKey;
  } while (start);
  return { later, closed };
}

/** The ended turns from `start` up to, and without, `end`, oldest first. */
async function between(
  table: TurnTable,
  ref: TurnRef,
  start: string,
  end: string,
  consistent: boolean,
): Promise<TurnItem[]> {
  const { Items = [] } = await table.query(ref.thread, start, end, {
    // Backwards and from beyond `end`: that one was read already, and what is read is paid.
    ScanIndexForward: false,
    ExclusiveStartKey: { pk: keyOf(ref.thread, ref.message).pk, sk: { S: end } },
    ConsistentRead: consistent,
  });
  return Items.filter((item) => table.alive(item) && item['body'] !== undefined)
    .map(readItem)
    .toReversed();
}

/** A search looks at this many of the newest turns, a page after another. */
const SEARCHED = { pages: 8, perPage: 50 };

/** The newest ended turns before this one in which all the words of `query` stand, newest first. */
export async function searchPast(
  table: TurnTable,
  ref: TurnRef,
  query: string,
  most: number,
): Promise<Turn[]> {
  const words = query
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== '');
  const key = keyOf(ref.thread, ref.message);
  const found: Turn[] = [];
  let start: Item | undefined = key;
  for (let page = 0; page < SEARCHED.pages && start && found.length < most; page += 1) {
    const { Items = [], LastEvaluatedKey }: Page = await table.query(ref.thread, FIRST, key.sk.S, {
      ScanIndexForward: false,
      Limit: SEARCHED.perPage,
      ExclusiveStartKey: start,
    });
    const ended = Items.filter((item) => table.alive(item) && item['body'] !== undefined)
      .map(readItem)
      .flatMap(pastTurn);
    found.push(...ended.filter((turn) => holdsAll(turn, words)));
    start = LastEvaluatedKey;
  }
  return found.slice(0, most);
}

function holdsAll(turn: Turn, words: readonly string[]): boolean {
  const text = `${questionText(turn)}\n${turn.ending.text}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** None where what was said cannot be read: such a turn counts as absent. */
function pastTurn(item: TurnItem): PastTurn[] {
  const said = item.body && readWords(item.body.B);
  if (!said) return [];
  const turn = {
    message: messageId(item.id.S),
    ...said,
    sk: item.sk.S,
    number: numberOf(item),
    followUps: item.followups && messageId(item.followups.S),
    bytes: sizeOf(item),
    tokens:
      estimateTokens(questionText(said)) +
      estimateTokens(contextText(said.contextLines) ?? '') +
      estimateTokens(said.ending.text),
  };
  return [turn];
}
