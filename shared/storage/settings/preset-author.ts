import type { UserId } from '../../domain/index.ts';
import { ConditionFailed, type Dynamo } from '../dynamodb/dynamo.ts';
import { levelKeysUsing } from './levels-in-use.ts';
import { NO_AUTHOR } from './presets.ts';
import type { Item } from '../turns/turn-keys.ts';
import { ofPerson } from './settings-keys.ts';

/**
 * Takes the name of who saved a text out of it, where others have put it to use: it stays as it is. Resolves with false where nobody
 * else has, or it is no saved text: it may go with its author.
 */
export async function withoutAuthor(
  { dynamo, table }: { readonly dynamo: Pick<Dynamo, 'query' | 'update'>; readonly table: string },
  item: Item,
  user: UserId,
): Promise<boolean> {
  const [pk = '', sk = ''] = [item['pk']?.S, item['sk']?.S];
  const [saved, kind, ...name] = sk.split('#');
  // What is set in one's chats with the bot alone is nobody else's.
  if (saved !== 'SAVED' || pk.endsWith(`#${user}`) || (kind !== 'persona' && kind !== 'schema')) return false;
  const levels = await levelKeysUsing({ dynamo, table }, pk, kind, name.join('#'));
  if (levels.every((level) => level === ofPerson(user))) return false;
  try {
    await dynamo.update({
      TableName: table,
      Key: { pk: { S: pk }, sk: { S: sk } },
      // As a change like any other: a save of theirs that is on its way comes to nothing.
      UpdateExpression: 'SET #by = :none, rev = if_not_exists(rev, :zero) + :one',
      ConditionExpression: '#by = :user',
      ExpressionAttributeNames: { '#by': 'by' },
      ExpressionAttributeValues: {
        ':none': { S: NO_AUTHOR },
        ':user': { S: user },
        ':zero': { N: '0' },
        ':one': { N: '1' },
      },
    });
  } catch (error) {
    // Somebody else has saved it since, or it is gone.
    if (!(error instanceof ConditionFailed)) throw error;
  }
  return true;
}
