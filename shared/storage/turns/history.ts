import {
  questionText,
  formatContext,
  estimateTokens,
  messageId,
  type MessageId,
  type SizedTurn,
  type Turn,
  type TurnRef,
  userId,
  type UserId,
  withoutQuestions,
} from '../../domain/index.ts';
import {
  listPendingQuestions,
  type PendingQuestion,
  parseTurnItem,
  estimateItemSize,
  type TurnItem,
} from './turn-item.ts';
import { readTurnContent } from '../dynamodb/turn-compression.ts';
import type { TurnTable } from './turn-table.ts';
import { CLOSED_THREAD_KEY, FIRST_TURN_KEY, type Item, turnKey, LAST_TURN_KEY } from '../keys/item-keys.ts';

/** An ended turn with its cost of reading and sending. */
export type HistoryTurn = Turn &
  SizedTurn & {
    readonly asker: UserId;
    readonly number: number;
    readonly sk: string;
    /** The card with follow-up questions, if one was posted; it may be deleted since. */
    readonly followUps?: MessageId | undefined;
  };

/** The history of a thread before a turn. */
export type ThreadHistory = {
  /** Oldest first, from the first turn of the last prompt. */
  readonly turns: readonly HistoryTurn[];
  /** The sort key of the first turn of the next prompt, unless it is trimmed. */
  readonly from: string;
  /** The number of this turn in its thread, from 1. */
  readonly number: number;
  /** Pending questions that were asked after this one, in order, up to the first that only its own task can answer. */
  readonly waiting: readonly PendingQuestion[];
  /** The root message was deleted: the bot posts nothing more there. */
  readonly isClosed: boolean;
  /** The number of ended turns that cannot be read. */
  readonly unreadable: number;
  /** Questions that were deleted, and may still be in `turns`: the tasks that remove them wait in the queue. */
  readonly deleted: readonly MessageId[];
};

/**
 * The page sizes of the search for the last ended turn: usually it is the previous item; pending questions lie
 * between.
 */
const LOOK_BACK_ITEMS = { first: 2, further: 6 };

/**
 * Reads the history with two queries, so that the cost is the same at turn 5 and turn 500. The newest items are
 * read consistently, because they may be milliseconds old: pending questions, this turn, the last ended turn.
 * That turn stores where its prompt began; the turns between are older and are read at half the price. Turns
 * are numbered: if the cheap read misses one, it is repeated consistently. So a deletion in the last second of a question from before the last turn
 * may be missed: its words are in this prompt once more.
 */
export async function readHistory(table: TurnTable, ref: TurnRef): Promise<ThreadHistory> {
  const { last: lastItem, later, before, isClosed } = await readNewest(table, ref);
  const waiting = listMergeableQuestions(later, ref);
  if (!lastItem) return { ...createEmptyHistory(ref), waiting, isClosed };

  const last = parseTurnItem(lastItem);
  const number = turnNumber(last) + 1;
  const start = last.from?.S ?? last.sk.S;
  const read = async (consistent: boolean) => {
    const items = await readItems(table, ref, start, last.sk.S, consistent);
    return { items, ended: items.filter((item) => item['body'] !== undefined).map(parseTurnItem) };
  };
  const cheap = start === last.sk.S ? { items: [], ended: [] } : await read(false);
  const older = isConsecutive([...cheap.ended, last]) ? cheap : await read(true);
  const turns = [...older.ended, last].flatMap(toHistoryTurns);
  const unreadable = older.ended.length + 1 - turns.length;
  const deleted = listDeleted([...older.items, lastItem, ...before]);
  return { turns, from: start, number, waiting, isClosed, unreadable, deleted };
}

/** `gone` stays when a turn ends, and when it is answered again; `mark` does not. */
const isDeleted = (item: Item): boolean => item['mark']?.S === 'deleted' || item['gone'] !== undefined;

const listDeleted = (items: readonly Item[]): MessageId[] =>
  items.flatMap((item) => (isDeleted(item) && item['id']?.S !== undefined ? [messageId(item['id'].S)] : []));

/**
 * Returns the questions behind `ref` that one answer may include, oldest first. Ends before the first that is left to a task of its own (late, long,
 * not queued, begun, edited, or without words, such as that of a hidden message): merged past it, later questions would be answered before it.
 */
function listMergeableQuestions(later: readonly TurnItem[], ref: TurnRef): PendingQuestion[] {
  // Answered, merged, stopped or deleted: no answer comes. The task of an edit was queued then, before questions that came later.
  const open = later.filter(({ body, into, mark }) => !body && !into && (!mark || mark.S === 'edited'));
  const questionLists = open.map((item) => listPendingQuestions(item, ref));
  const end = questionLists.findIndex((questions) =>
    questions.every(({ question }) => question.trim() === ''),
  );
  return (end < 0 ? questionLists : questionLists.slice(0, end)).flat();
}

/** The history of the first question of a thread. */
export const createEmptyHistory = ({ thread, message }: TurnRef): ThreadHistory => ({
  turns: [],
  from: turnKey(thread, message).sk.S,
  number: 1,
  waiting: [],
  isClosed: false,
  unreadable: 0,
  deleted: [],
});

type Page = { readonly Items?: Item[] | undefined; readonly LastEvaluatedKey?: Item | undefined };

const turnNumber = ({ n }: TurnItem): number => n ?? 1;

const isConsecutive = (items: readonly TurnItem[]): boolean =>
  items.every((item, i) => {
    const before = items[i - 1];
    return !before || turnNumber(item) <= turnNumber(before) + 1;
  });

type Newest = {
  readonly last?: Item;
  readonly later: TurnItem[];
  /** Those between the last one and this one. */
  readonly before: Item[];
  readonly isClosed: boolean;
};

/** Returns the last turn that ended before this one, and the items after this one, oldest first. */
async function readNewest(table: TurnTable, ref: TurnRef): Promise<Newest> {
  const own = turnKey(ref.thread, ref.message).sk.S;
  const later: TurnItem[] = [];
  const before: Item[] = [];
  let isClosed = false;
  let start: Item | undefined;
  do {
    const page: Page = await table.query(ref.thread, FIRST_TURN_KEY, LAST_TURN_KEY, {
      ScanIndexForward: false,
      Limit: start ? LOOK_BACK_ITEMS.further : LOOK_BACK_ITEMS.first,
      ConsistentRead: true,
      ...(start && { ExclusiveStartKey: start }),
    });
    for (const item of page.Items ?? []) {
      const sk = item['sk']?.S ?? '';
      if (sk === CLOSED_THREAD_KEY) isClosed = true;
      else if (sk > own) later.unshift(parseTurnItem(item));
      else if (sk < own && item['body'] !== undefined) {
        return table.isAlive(item) ? { last: item, later, before, isClosed } : { later, before, isClosed };
      } else if (sk < own) before.push(item);
    }
    start = page.LastEvaluatedKey;
  } while (start);
  return { later, before, isClosed };
}

/** Returns the items of turns from `start` up to `end` (excluded), oldest first. */
async function readItems(
  table: TurnTable,
  ref: TurnRef,
  start: string,
  end: string,
  consistent: boolean,
): Promise<Item[]> {
  const { Items = [] } = await table.query(ref.thread, start, end, {
    // Backwards from `end`, which was already read and would be paid twice.
    ScanIndexForward: false,
    ExclusiveStartKey: { pk: turnKey(ref.thread, ref.message).pk, sk: { S: end } },
    ConsistentRead: consistent,
  });
  return Items.filter((item) => table.isAlive(item)).toReversed();
}

/** The number of newest turns that a search reads, page by page. */
const SEARCH_LIMITS = { pages: 8, perPage: 50 };

/** Returns the newest ended turns before this one that contain all words of `query`, newest first, without questions that were deleted. */
export async function searchHistory(
  table: TurnTable,
  ref: TurnRef,
  query: string,
  limit: number,
): Promise<Turn[]> {
  const words = query
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== '');
  const key = turnKey(ref.thread, ref.message);
  const matches: Turn[] = [];
  // A merged question comes before the turn that answers it.
  const deleted = new Set<MessageId>();
  let start: Item | undefined = key;
  for (let page = 0; page < SEARCH_LIMITS.pages && start && matches.length < limit; page += 1) {
    const { Items = [], LastEvaluatedKey }: Page = await table.query(ref.thread, FIRST_TURN_KEY, key.sk.S, {
      ScanIndexForward: false,
      Limit: SEARCH_LIMITS.perPage,
      ExclusiveStartKey: start,
    });
    for (const message of listDeleted(Items)) deleted.add(message);
    const ended = Items.filter((item) => table.isAlive(item) && item['body'] !== undefined)
      .map(parseTurnItem)
      .flatMap(toHistoryTurns)
      .flatMap((turn) => withoutQuestions(turn, deleted) ?? []);
    matches.push(...ended.filter((turn) => containsAll(turn, words)));
    start = LastEvaluatedKey;
  }
  return matches.slice(0, limit);
}

function containsAll(turn: Turn, words: readonly string[]): boolean {
  const text = `${questionText(turn)}\n${turn.outcome.text}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Empty if the content cannot be read: such a turn counts as absent. */
function toHistoryTurns(item: TurnItem): HistoryTurn[] {
  const content = item.body && readTurnContent(item.body.B);
  if (!content) return [];
  const turn = {
    message: messageId(item.id.S),
    ...content,
    asker: userId(item.by.S),
    sk: item.sk.S,
    number: turnNumber(item),
    followUps: item.followups && messageId(item.followups.S),
    bytes: estimateItemSize(item),
    tokens:
      estimateTokens(questionText(content)) +
      estimateTokens(formatContext(content.contextLines) ?? '') +
      estimateTokens(content.outcome.text),
  };
  return [turn];
}
