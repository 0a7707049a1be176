import * as v from 'valibot';
import { type Dynamo, retryConflict } from '../dynamodb/dynamo.ts';
import type { Item } from '../keys/item-keys.ts';

const auditLog = v.array(v.looseObject({ by: v.string() }));

/** Removes a person from the audit log of a level; undefined if it does not name them. */
function anonymizeLog(log: string, user: string): string | undefined {
  const all = v.parse(auditLog, JSON.parse(log));
  if (all.every(({ by }) => by !== user)) return undefined;
  return JSON.stringify(all.map((line) => (line.by === user ? { ...line, by: '' } : line)));
}

/** Returns the people in the audit log of a level; none if it cannot be read. */
export function listAuditAuthors(log: string | undefined): string[] {
  try {
    return v.parse(auditLog, JSON.parse(log ?? '[]')).map(({ by }) => by);
  } catch {
    return [];
  }
}

/**
 * Removes a person from the audit log of settings: what they set for others stays. Rejects if others change it
 * all the time.
 */
export async function anonymizeAuthor(
  { dynamo, table: TableName }: { readonly dynamo: Pick<Dynamo, 'get' | 'update'>; readonly table: string },
  Key: Item,
  readItem: Item,
  user: string,
): Promise<void> {
  await retryConflict(async (attempt) => {
    const item = attempt === 1 ? readItem : (await dynamo.get({ TableName, Key, ConsistentRead: true })).Item;
    const log = item?.['log']?.S;
    const after = log === undefined ? undefined : anonymizeLog(log, user);
    if (log === undefined || after === undefined) return;
    await dynamo.update({
      TableName,
      Key,
      UpdateExpression: 'SET #log = :after',
      ConditionExpression: '#log = :before',
      ExpressionAttributeNames: { '#log': 'log' },
      ExpressionAttributeValues: { ':before': { S: log }, ':after': { S: after } },
    });
  });
}
