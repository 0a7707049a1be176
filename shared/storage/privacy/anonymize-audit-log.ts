import * as v from 'valibot';
import { ConditionFailed, type Dynamo } from '../dynamodb/dynamo.ts';
import type { Item } from '../turns/turn-keys.ts';

const lines = v.array(v.looseObject({ by: v.string() }));
const TRIES = 5;

/** The list of changes of one level without this person's name; undefined where it does not name them. */
function without(log: string, user: string): string | undefined {
  const all = v.parse(lines, JSON.parse(log));
  if (all.every(({ by }) => by !== user)) return undefined;
  return JSON.stringify(all.map((line) => (line.by === user ? { ...line, by: '' } : line)));
}

/** Whom the list of changes of one level names; nobody where it cannot be read. */
export function auditAuthorsIn(log: string | undefined): string[] {
  try {
    return v.parse(lines, JSON.parse(log ?? '[]')).map(({ by }) => by);
  } catch {
    return [];
  }
}

/**
 * Takes a person's name out of the list of changes that lies with settings: what they changed for others stays, and counts.
 * Rejects when others change it all the while.
 */
export async function anonymizeAuthor(
  { dynamo, table: TableName }: { readonly dynamo: Pick<Dynamo, 'get' | 'update'>; readonly table: string },
  Key: Item,
  found: Item,
  user: string,
): Promise<void> {
  let log = found['log']?.S;
  for (let attempt = 1; log !== undefined; attempt += 1) {
    const after = without(log, user);
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
      if (!(error instanceof ConditionFailed) || attempt === TRIES) throw error;
      log = (await dynamo.get({ TableName, Key, ConsistentRead: true })).Item?.['log']?.S;
    }
  }
}
