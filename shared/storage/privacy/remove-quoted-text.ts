import * as v from 'valibot';
import type { UserId } from '../../domain/index.ts';
import { type Dynamo, ignoreConditionFailure } from '../dynamodb/dynamo.ts';
import { readWords, type PackedTexts } from '../dynamodb/turn-compression.ts';
import { packJson, unpackJson } from '../dynamodb/gzip-json.ts';
import { pointsTo } from './person-pointers.ts';
import { FIRST, type Item } from '../turns/turn-keys.ts';
import { key, type Key } from './erasure-scope.ts';

export type ErasedWordsConfig = {
  readonly dynamo: Pick<Dynamo, 'get' | 'update' | 'delete' | 'query'>;
  readonly table: string;
  readonly now: () => number;
};

type WordsConfig = { readonly dynamo: Pick<Dynamo, 'update'>; readonly table: string };

/**
 * Removes what a person said from the item of somebody else that a pointer of theirs leads to: their lines from a turn; a draft whole,
 * which was made of what several people said; and the message of theirs that a form is about. False where it may yet be stored there: the turn is being answered just now.
 */
export async function removeWordsOf(config: ErasedWordsConfig, item: Item, user: UserId): Promise<boolean> {
  const to = pointsTo(v.parse(key, item), user);
  if (to?.sk.S.startsWith('DRAFT#')) await removeDraft(config, to);
  if (to?.sk.S.startsWith('NOTE#'))
    await config.dynamo.delete({ TableName: config.table, Key: { pk: to.pk, sk: to.sk } });
  if (!to?.sk.S.startsWith(FIRST)) return true;
  const { dynamo, table: TableName } = config;
  const { Item: turn } = await dynamo.get({ TableName, Key: to, ConsistentRead: true });
  if (!turn) return true;
  return (await removeLinesOf(config, turn, user)) && !isBeingAnswered(turn, config);
}

/** Removes what a person said before the bot was called from a turn. False where somebody else changed it just now. */
export const removeLinesOf = (config: WordsConfig, turn: Item, user: UserId): Promise<boolean> =>
  changeWords(config, turn, ({ contextLines, ...said }) => {
    const kept = contextLines?.filter(({ by }) => by !== user);
    return kept?.length === contextLines?.length ? undefined : { ...said, contextLines: kept };
  });

/** Whose words of before the bot was called a turn holds. */
export function speakersIn(turn: Item): string[] {
  const body = turn['body']?.B;
  const said = body && readWords(body);
  return said?.contextLines?.flatMap(({ by }) => by ?? []) ?? [];
}

/** Whether somebody is working on a turn, and may store it again as they read it. */
export const isBeingAnswered = (turn: Item, { now }: Pick<ErasedWordsConfig, 'now'>): boolean =>
  Number(turn['lease']?.N ?? 0) > now();

/**
 * Replaces the words of a turn; those that cannot be read, and those of which `change` makes undefined, stay. False where somebody else changed
 * them just now.
 */
export async function changeWords(
  { dynamo, table: TableName }: WordsConfig,
  turn: Item,
  change: (said: PackedTexts) => PackedTexts | undefined,
): Promise<boolean> {
  const body = turn['body']?.B;
  const said = body && readWords(body);
  const after = said && change(said);
  if (!after) return true;
  return ignoreConditionFailure(
    dynamo.update({
      TableName,
      Key: v.parse(key, turn),
      UpdateExpression: 'SET body = :after',
      ConditionExpression: 'body = :before',
      ExpressionAttributeValues: { ':before': { B: body }, ':after': { B: packJson(after) } },
    }),
  );
}

const ofOldVersion = v.looseObject({ before: v.string() });

/**
 * Versions before kept what was said in a thread before the bot was called as words without who said them: nobody's could be taken out
 * of them, so they go whole. They are not read any more.
 */
export async function removeNamelessContext(config: WordsConfig, turn: Item): Promise<boolean> {
  const body = turn['body']?.B;
  if (!body || !v.is(ofOldVersion, unpacked(body))) return true;
  // Reading leaves it out.
  return changeWords(config, turn, (said) => said);
}

function unpacked(bytes: Uint8Array): unknown {
  try {
    return unpackJson(bytes);
  } catch {
    return undefined;
  }
}

/** Removes a draft, with what was kept on the way to it. */
export async function removeDraft(
  { dynamo, table: TableName }: Pick<ErasedWordsConfig, 'dynamo' | 'table'>,
  { pk, sk }: Key,
): Promise<void> {
  const { Items = [] } = await dynamo.query({
    TableName,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: { ':pk': pk, ':first': { S: `${sk.S}.` }, ':last': { S: `${sk.S}.~` } },
  });
  const parts = Items.map((item) => v.parse(key, item));
  await Promise.all([...parts, { pk, sk }].map((Key) => dynamo.delete({ TableName, Key })));
}
