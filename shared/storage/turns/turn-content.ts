import * as v from 'valibot';
import { type Dynamo, isConditionMet } from '../dynamodb/dynamo.ts';
import { readTurnContent, type TurnContent, compressTurn } from '../dynamodb/turn-compression.ts';
import type { Item } from '../keys/item-keys.ts';
import { keySchema } from '../keys/key-schema.ts';

export type TurnContentConfig = { readonly dynamo: Pick<Dynamo, 'update'>; readonly table: string };

/** Whether a worker has claimed the turn, and may write it back as it was. */
export const isBeingAnswered = (turn: Item, { now }: { readonly now: () => number }): boolean =>
  Number(turn['lease']?.N ?? 0) > now();

/**
 * Changes the content of a turn; unreadable content stays, and so does content for which `change` returns
 * undefined. False if the turn was changed meanwhile.
 */
export async function changeTurnContent(
  { dynamo, table: TableName }: TurnContentConfig,
  turn: Item,
  change: (content: TurnContent) => TurnContent | undefined,
): Promise<boolean> {
  const body = turn['body']?.B;
  const content = body && readTurnContent(body);
  const after = content && change(content);
  if (!after) return true;
  return isConditionMet(
    dynamo.update({
      TableName,
      Key: v.parse(keySchema, turn),
      UpdateExpression: 'SET body = :after',
      ConditionExpression: 'body = :before',
      ExpressionAttributeValues: { ':before': { B: body }, ':after': { B: compressTurn(after) } },
    }),
  );
}
