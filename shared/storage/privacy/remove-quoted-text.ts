import * as v from 'valibot';
import { listOtherPeople, type UserId } from '../../domain/index.ts';
import { type Dynamo, isConditionMet } from '../dynamodb/dynamo.ts';
import { readTurnContent, decompressJson } from '../dynamodb/turn-compression.ts';
import { jobKeyFromPointer, readJob, serializeJob } from '../jobs/job-item.ts';
import { parsePointerTarget, FIRST_TURN_KEY, type Item, numberValue } from '../keys/item-keys.ts';
import { keySchema, type Key } from '../keys/key-schema.ts';
import { type TurnContentConfig, isBeingAnswered, changeTurnContent } from '../turns/turn-content.ts';

export type QuotedTextConfig = {
  readonly dynamo: Pick<Dynamo, 'get' | 'update' | 'delete' | 'query'>;
  readonly table: string;
  readonly now: () => number;
};

/**
 * Removes a person's data from the target of their pointer: their lines and pictures from a turn, their picture and words from a job, a whole
 * draft, which contains text of several people, or the target message of a modal. False if the turn is being answered, or the job was
 * changed, and may store them again.
 */
export async function removeQuotedText(config: QuotedTextConfig, item: Item, user: UserId): Promise<boolean> {
  const to = parsePointerTarget(v.parse(keySchema, item), user);
  if (to?.sk.S.startsWith('DRAFT#')) await removeDraft(config, to);
  if (to?.sk.S.startsWith('NOTE#'))
    await config.dynamo.delete({ TableName: config.table, Key: { pk: to.pk, sk: to.sk } });
  const job = to && jobKeyFromPointer(to);
  if (job) return removeFromJob(config, job, user);
  if (!to?.sk.S.startsWith(FIRST_TURN_KEY)) return true;
  const { dynamo, table: TableName } = config;
  const { Item: turn } = await dynamo.get({ TableName, Key: to, ConsistentRead: true });
  if (!turn) return true;
  return (await removeContextLines(config, turn, user)) && !isBeingAnswered(turn, config);
}

/** Removes a person's context lines and pictures from a turn. False if the turn was changed meanwhile. */
export const removeContextLines = (config: TurnContentConfig, turn: Item, user: UserId): Promise<boolean> =>
  changeTurnContent(config, turn, (content) => {
    if (!listOtherPeople(content).includes(user)) return undefined;
    const contextLines = content.contextLines?.filter(({ by }) => by !== user);
    const pictures = content.pictures?.filter(({ origin }) => origin?.author !== user);
    return { ...content, contextLines, pictures };
  });

/** Returns the people whose messages or pictures a turn contains, without its asker. */
export function listContextAuthors(turn: Item): string[] {
  const body = turn['body']?.B;
  const content = body && readTurnContent(body);
  return content ? listOtherPeople(content) : [];
}

/**
 * Removes the picture of a person, and the prompt if it has words of them, from the job of another one. False if the job was
 * changed meanwhile.
 */
async function removeFromJob(
  { dynamo, table: TableName }: Pick<QuotedTextConfig, 'dynamo' | 'table'>,
  key: Key,
  user: UserId,
): Promise<boolean> {
  const { Item: item } = await dynamo.get({ TableName, Key: key, ConsistentRead: true });
  const job = item && readJob(item);
  if (!job) return true;
  const isTheirPicture = job.picture?.origin?.author === user;
  const isTheirPrompt = job.promptAuthors?.includes(user) === true;
  if (!isTheirPicture && !isTheirPrompt) return true;
  const remaining = {
    ...job,
    ...(isTheirPicture && { picture: undefined }),
    // The words of several people in it cannot be told apart.
    ...(isTheirPrompt && { prompt: '', promptAuthors: undefined }),
  };
  const version = job.version + 1;
  return isConditionMet(
    dynamo.update({
      TableName,
      Key: key,
      UpdateExpression: 'SET body = :after, v = :version',
      ConditionExpression: 'v = :before',
      ExpressionAttributeValues: {
        ':after': { S: serializeJob({ ...remaining, version }) },
        ':version': numberValue(version),
        ':before': numberValue(job.version),
      },
    }),
  );
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
