import type { UserId } from '../../domain/index.ts';
import { ConditionFailedError, type Dynamo } from '../dynamodb/dynamo.ts';
import { listLevelKeysUsing } from './levels-in-use.ts';
import { NO_AUTHOR } from './presets.ts';
import { type Item, personLevelKey } from '../keys/item-keys.ts';

/**
 * Removes the author from a preset that others use: the preset stays. Resolves with false if nobody else uses
 * it, or if the item is not a preset: it is then deleted with its author.
 */
export async function removePresetAuthor(
  { dynamo, table }: { readonly dynamo: Pick<Dynamo, 'query' | 'update'>; readonly table: string },
  item: Item,
  user: UserId,
): Promise<boolean> {
  const [pk = '', sk = ''] = [item['pk']?.S, item['sk']?.S];
  const [saved, kind, ...name] = sk.split('#');
  // Settings of a person's own chats with the bot concern nobody else.
  if (saved !== 'SAVED' || pk.endsWith(`#${user}`) || (kind !== 'persona' && kind !== 'schema')) return false;
  const levels = await listLevelKeysUsing({ dynamo, table }, pk, kind, name.join('#'));
  if (levels.every((level) => level === personLevelKey(user))) return false;
  try {
    await dynamo.update({
      TableName: table,
      Key: { pk: { S: pk }, sk: { S: sk } },
      // Increases the revision, so that a concurrent save by the author fails.
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
    // It was saved by another person since, or deleted.
    if (!(error instanceof ConditionFailedError)) throw error;
  }
  return true;
}
