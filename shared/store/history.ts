import { estimateTokens, messageId, type Sized, type Turn, type TurnRef } from '../conversation/index.ts';
import type { Dynamo } from './dynamo.ts';
import { unpack } from './pack.ts';
import { FIRST, type Item, keyOf, readItem, sizeOf, type TurnItem } from './turn-item.ts';

/** An ended turn with what it costs to read and to send. */
export type PastTurn = Turn & Sized & { readonly number: number; readonly sk: string };

/** The past of a turn. */
export type Past = {
  /** Oldest first: from the first turn of the last prompt on. */
  readonly turns: readonly PastTurn[];
  /** The sort key at which the next prompt begins, unless it is trimmed. */
  readonly from: string;
  /** The number of this turn in its thread, from 1. */
  readonly number: number;
};

type Table = { readonly dynamo: Dynamo; readonly table: string; readonly alive: (item: Item) => boolean };

/** How many items to look back over for the last ended turn: those between are this one and ones given up. */
const LOOK_BACK = 4;

/**
 * Reads the past in two looks, so that it costs the same at turn 5 and turn 500. The last ended turn is read
 * consistently, for it may be milliseconds old. It knows where its own prompt began; what lies between is older and is
 * read at half the price. Turns are numbered: if the cheap read misses one, it is made again consistently.
 */
export async function readPast(from: Table, ref: TurnRef): Promise<Past> {
  const key = keyOf(ref.thread, ref.message);
  const last = await lastEnded(from, ref);
  if (!last) return { turns: [], from: key.sk.S, number: 1 };

  const newest = pastTurn(last);
  const start = last.from?.S ?? last.sk.S;
  if (start === last.sk.S) return { turns: [newest], from: start, number: newest.number + 1 };

  const read = (consistent: boolean): Promise<PastTurn[]> => between(from, ref, start, last.sk.S, consistent);
  const cheap = await read(false);
  const older = unbroken([...cheap, newest]) ? cheap : await read(true);
  return { turns: [...older, newest], from: start, number: newest.number + 1 };
}

const unbroken = (turns: readonly PastTurn[]): boolean =>
  turns.every((turn, i) => i === 0 || turn.number === (turns[i - 1]?.number ?? 0) + 1);

async function lastEnded({ dynamo, table, alive }: Table, ref: TurnRef): Promise<TurnItem | undefined> {
  const key = keyOf(ref.thread, ref.message);
  let start: Record<string, Item[string]> | undefined = key;
  // A page holds this turn's neighbours; more than one is read only past a heap of turns that were given up.
  for (let limit = 1; start; limit = LOOK_BACK) {
    const page: { Items?: Item[] | undefined; LastEvaluatedKey?: Item | undefined } = await dynamo.query({
      TableName: table,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :this',
      ExpressionAttributeValues: { ':pk': key.pk, ':first': { S: FIRST }, ':this': key.sk },
      ExclusiveStartKey: start,
      ScanIndexForward: false,
      Limit: limit,
      ConsistentRead: true,
    });
    const ended = page.Items?.find((item) => item['body'] !== undefined);
    if (ended) return alive(ended) ? readItem(ended) : undefined;
    start = page.LastEvaluatedKey;
  }
  return undefined;
}

/** The ended turns from `start` up to, and without, `end`, oldest first. */
async function between(
  { dynamo, table, alive }: Table,
  ref: TurnRef,
  start: string,
  end: string,
  consistent: boolean,
): Promise<PastTurn[]> {
  const { pk } = keyOf(ref.thread, ref.message);
  const { Items = [] } = await dynamo.query({
    TableName: table,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :start AND :end',
    ExpressionAttributeValues: { ':pk': pk, ':start': { S: start }, ':end': { S: end } },
    // Backwards and from beyond `end`: that one was read already, and what is read is paid.
    ScanIndexForward: false,
    ExclusiveStartKey: { pk, sk: { S: end } },
    ConsistentRead: consistent,
  });
  return Items.filter((item) => alive(item) && item['body'] !== undefined)
    .map(readItem)
    .map(pastTurn)
    .toReversed();
}

function pastTurn(item: TurnItem): PastTurn {
  if (!item.body) throw new Error('not an ended turn');
  const said = unpack(item.body.B);
  return {
    message: messageId(item.id.S),
    ...said,
    sk: item.sk.S,
    number: item.n ?? 1,
    bytes: sizeOf(item),
    tokens: estimateTokens(said.question) + estimateTokens(said.ending.text),
  };
}
