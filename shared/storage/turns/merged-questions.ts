import * as v from 'valibot';
import { type Dynamo, isConditionMet } from '../dynamodb/dynamo.ts';
import { changeTurnContent, isBeingAnswered } from './turn-content.ts';
import { readTurnContent } from '../dynamodb/turn-compression.ts';
import { FIRST_TURN_KEY, type Item } from '../keys/item-keys.ts';
import { keySchema, type Key } from '../keys/key-schema.ts';

export type MergedQuestionsConfig = {
  readonly dynamo: Pick<Dynamo, 'get' | 'update' | 'delete' | 'query'>;
  readonly table: string;
  readonly now: () => number;
};

/**
 * Erases a merged question from the turn that answered it. False if it may still be stored there, because a
 * turn of the thread is being answered. Only this question's item leads to that turn, so the item is deleted
 * afterwards.
 */
export async function removeFromMergedTurn(config: MergedQuestionsConfig, item: Item): Promise<boolean> {
  const { sk } = v.parse(keySchema, item);
  if (!sk.S.startsWith(FIRST_TURN_KEY) || item['id']?.S === undefined) return true;
  const turns = await findAnsweringTurns(config, item);
  const done = await Promise.all(
    turns.map(async (turn) => {
      const isOut = await removeQuestion(config, turn, item['id']?.S, item['into'] !== undefined);
      return isOut && !isBeingAnswered(turn, config);
    }),
  );
  return done.every(Boolean);
}

/**
 * Returns the turn that answered a question. If that is unknown and the question is unanswered, returns all
 * earlier turns of its thread: a question is merged only into one of those.
 */
async function findAnsweringTurns(
  { dynamo, table: TableName }: MergedQuestionsConfig,
  item: Item,
): Promise<Item[]> {
  const { pk, sk } = v.parse(keySchema, item);
  const into = item['into']?.S;
  if (into !== undefined) {
    const Key = { pk, sk: { S: `${FIRST_TURN_KEY}${into.padStart(20, '0')}` } };
    const { Item: whole } = await dynamo.get({ TableName, Key, ConsistentRead: true });
    return whole && Key.sk.S !== sk.S ? [whole] : [];
  }
  if (item['body'] !== undefined) return [];
  const items: Item[] = [];
  let start: Item | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await dynamo.query({
      TableName,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: {
        ':pk': pk,
        ':first': { S: FIRST_TURN_KEY },
        ':last': sk,
      },
      ConsistentRead: true,
      ...(start && { ExclusiveStartKey: start }),
    });
    items.push(...Items.filter((one) => one['sk']?.S !== sk.S));
    start = LastEvaluatedKey;
  } while (start);
  return items;
}

/** Removes a question from a turn's content. False if the turn was changed meanwhile. */
async function removeQuestion(
  { dynamo, table: TableName }: MergedQuestionsConfig,
  turn: Item,
  message: string | undefined,
  isKnown: boolean,
): Promise<boolean> {
  const body = turn['body']?.B;
  if (!body) return true;
  const Key: Key = v.parse(keySchema, turn);
  const before = { ':before': { B: body } };
  const content = readTurnContent(body);
  if (!content) {
    if (!isKnown) return true;
    // A single part of unreadable content cannot be removed: if the question is known to be in it, the whole
    // turn is deleted.
    const same = { ConditionExpression: 'body = :before', ExpressionAttributeValues: before };
    return isConditionMet(dynamo.delete({ TableName, Key, ...same }));
  }
  return changeTurnContent({ dynamo, table: TableName }, turn, () => {
    const mergedQuestions = content.mergedQuestions?.filter((one) => one.message !== message);
    return mergedQuestions?.length === content.mergedQuestions?.length
      ? undefined
      : { ...content, mergedQuestions };
  });
}
