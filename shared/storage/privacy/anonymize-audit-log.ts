import * as v from 'valibot';
import { ConditionFailedError, type Dynamo } from '../dynamodb/dynamo.ts';
import type { Item } from '../turns/turn-keys.ts';

const auditLog = v.array(v.looseObject({ by: v.string() }));
const MAX_ATTEMPTS = 5;

/** Removes a person from the audit log of a level; undefined if it does not name them. */
function anonymizeLog(log: string, user: string): string | undefined {
  const all = v.parse(auditLog, JSON.parse(log));
  if (all.every(({ by }) => by !== user)) return undefined;
  return JSON.stringify(all.map((line) => (line.by === user ? { ...line, by: '' } : line)));
}

/** Returns the people in the audit log of a level; none if it cannot be read. */
export function auditAuthorsIn(log: string | undefined): string[] {
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
  found: Item,
  user: string,
): Promise<void> {
  let log = found['log']?.S;
  for (let attempt = 1; log !== undefined; attempt += 1) {
    const after = anonymizeLog(log, user);
    if (after === undefined) return;
    try {
      await dynamo.update({
        TableName,
        Key,
        UpdateExpression: 'SET #log = :after',
        ConditionExpression: '#log = :before',
        ExpressionAttributeNames: { '#log': 'log' },
        ExpressionAttributeValues: { ':before': { S: log }, ':after': { S: after } },
      });
      return;
    } catch (error) {
      if (!(error instanceof ConditionFailedError) || attempt === MAX_ATTEMPTS) throw error;
      log = (await dynamo.get({ TableName, Key, ConsistentRead: true })).Item?.['log']?.S;
    }
  }
}
