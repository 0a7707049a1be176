import * as v from 'valibot';
import { type Dynamo, ignoreConditionFailure } from '../dynamodb/dynamo.ts';
import { changeWords, isBeingAnswered } from '../privacy/remove-quoted-text.ts';
import { readWords } from '../dynamodb/turn-compression.ts';
import { FIRST, type Item, LAST } from './turn-keys.ts';
import { key, type Key } from '../privacy/erasure-scope.ts';

export type MergedQuestionsConfig = {
  readonly dynamo: Pick<Dynamo, 'get' | 'update' | 'delete' | 'query'>;
  readonly table: string;
  readonly now: () => number;
};

/**
 * A question that was answered together with somebody else's is taken out of their turn. False where it may yet be stored there: a
 * turn of the thread is being answered just now. The item of the question leads to that turn, and is removed after this alone.
 */
export async function removeMerged(config: MergedQuestionsConfig, item: Item): Promise<boolean> {
  const { sk } = v.parse(key, item);
  if (!sk.S.startsWith(FIRST) || item['id']?.S === undefined) return true;
  const turns = await turnsAround(config, item);
  const done = await Promise.all(
    turns.map(async (turn) => {
      const isOut = await takeOut(config, turn, item['id']?.S, item['into'] !== undefined);
      return isOut && !isBeingAnswered(turn, config);
    }),
  );
  return done.every(Boolean);
}

/** The turn that answers a question; of one that is neither answered nor said to be answered by another, all others of its thread. */
async function turnsAround({ dynamo, table: TableName }: MergedQuestionsConfig, item: Item): Promise<Item[]> {
  const { pk, sk } = v.parse(key, item);
  const into = item['into']?.S;
  if (into !== undefined) {
    const Key = { pk, sk: { S: `${FIRST}${into.padStart(20, '0')}` } };
    const { Item: whole } = await dynamo.get({ TableName, Key, ConsistentRead: true });
    return whole && Key.sk.S !== sk.S ? [whole] : [];
  }
  if (item['body'] !== undefined) return [];
  const found: Item[] = [];
  let start: Item | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await dynamo.query({
      TableName,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: { ':pk': pk, ':first': { S: FIRST }, ':last': { S: LAST } },
      ConsistentRead: true,
      ...(start && { ExclusiveStartKey: start }),
    });
    found.push(...Items.filter((one) => one['sk']?.S !== sk.S));
    start = LastEvaluatedKey;
  } while (start);
  return found;
}

/** Takes a question out of what a turn holds. False where somebody else changed it just now. */
async function takeOut(
  { dynamo, table: TableName }: MergedQuestionsConfig,
  turn: Item,
  message: string | undefined,
  isKnown: boolean,
): Promise<boolean> {
  const body = turn['body']?.B;
  if (!body) return true;
  const Key: Key = v.parse(key, turn);
  const before = { ':before': { B: body } };
  const said = readWords(body);
  if (!said) {
    if (!isKnown) return true;
    // What cannot be read cannot be taken out of it either: where it is known to be in it, it goes whole.
    const same = { ConditionExpression: 'body = :before', ExpressionAttributeValues: before };
    return ignoreConditionFailure(dynamo.delete({ TableName, Key, ...same }));
  }
  return changeWords({ dynamo, table: TableName }, turn, () => {
    const folded = said.folded?.filter((one) => one.message !== message);
    return folded?.length === said.folded?.length ? undefined : { ...said, folded };
  });
}
