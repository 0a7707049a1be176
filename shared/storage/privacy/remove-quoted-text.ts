import * as v from 'valibot';
import type { UserId } from '../../domain/index.ts';
import type { Dynamo } from '../dynamodb/dynamo.ts';
import { readTurnContent, decompressJson } from '../dynamodb/turn-compression.ts';
import { pointerTarget, FIRST_TURN_KEY, type Item } from '../keys/item-keys.ts';
import { keySchema, type Key } from '../keys/key-schema.ts';
import { type TurnContentConfig, isBeingAnswered, changeTurnContent } from '../turns/turn-content.ts';

export type QuotedTextConfig = {
  readonly dynamo: Pick<Dynamo, 'get' | 'update' | 'delete' | 'query'>;
  readonly table: string;
  readonly now: () => number;
};

/**
 * Removes a person's text from the target of their pointer: their lines from a turn, a whole draft,
 * which contains text of several people, or the target message of a modal. False if the turn is being answered and may store the text again.
 */
export async function removeQuotedText(config: QuotedTextConfig, item: Item, user: UserId): Promise<boolean> {
  const to = pointerTarget(v.parse(keySchema, item), user);
  if (to?.sk.S.startsWith('DRAFT#')) await removeDraft(config, to);
  if (to?.sk.S.startsWith('NOTE#'))
    await config.dynamo.delete({ TableName: config.table, Key: { pk: to.pk, sk: to.sk } });
  if (!to?.sk.S.startsWith(FIRST_TURN_KEY)) return true;
  const { dynamo, table: TableName } = config;
  const { Item: turn } = await dynamo.get({ TableName, Key: to, ConsistentRead: true });
  if (!turn) return true;
  return (await removeContextLines(config, turn, user)) && !isBeingAnswered(turn, config);
}

/** Removes a person's context lines from a turn. False if the turn was changed meanwhile. */
export const removeContextLines = (config: TurnContentConfig, turn: Item, user: UserId): Promise<boolean> =>
  changeTurnContent(config, turn, ({ contextLines, ...content }) => {
    const remainingLines = contextLines?.filter(({ by }) => by !== user);
    return remainingLines?.length === contextLines?.length
      ? undefined
      : { ...content, contextLines: remainingLines };
  });

/** Returns the authors of the context lines of a turn. */
export function contextAuthors(turn: Item): string[] {
  const body = turn['body']?.B;
  const content = body && readTurnContent(body);
  return content?.contextLines?.flatMap(({ by }) => by ?? []) ?? [];
}

const legacyContent = v.looseObject({ before: v.string() });

/**
 * Earlier versions stored context messages without their authors. No person's part can be removed from them, so
 * they are deleted. They are not read any more.
 */
export async function removeLegacyContext(config: TurnContentConfig, turn: Item): Promise<boolean> {
  const body = turn['body']?.B;
  if (!body || !v.is(legacyContent, decompress(body))) return true;
  // Reading the content drops them.
  return changeTurnContent(config, turn, (content) => content);
}

function decompress(bytes: Uint8Array): unknown {
  try {
    return decompressJson(bytes);
  } catch {
    return undefined;
  }
}

/** Deletes a draft and its parts. */
export async function removeDraft(
  { dynamo, table: TableName }: Pick<QuotedTextConfig, 'dynamo' | 'table'>,
  { pk, sk }: Key,
): Promise<void> {
  const { Items = [] } = await dynamo.query({
    TableName,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: { ':pk': pk, ':first': { S: `${sk.S}.` }, ':last': { S: `${sk.S}.~` } },
  });
  const parts = Items.map((item) => v.parse(keySchema, item));
  await Promise.all([...parts, { pk, sk }].map((Key) => dynamo.delete({ TableName, Key })));
}
