import type { Dynamo } from '../dynamodb/dynamo.ts';
import { type DynamoSend, getField } from '../dynamodb/json-protocol.ts';

/** A model of the live list, for autocompletion. */
export type KnownModel = {
  readonly id: string;
  /** A short description. */
  readonly about: string;
};

/** One item for the deployment, because all workspaces share the models. */
const KEY = { pk: { S: 'MODELS' }, sk: { S: 'LIST' } };
const MAX_MODELS = 500;
/** The list is rewritten after this time even without changes. */
const REWRITE_INTERVAL_MS = 3_600_000;

/**
 * Creates the function that stores the live model list. A front reads it with one small request: it has no API
 * key, and no time to fetch the list. Workers call the function after each fetch. It writes only changes: a new process reads
 * the stored list first, which costs a tenth of a write.
 */
export function createModelListWriter({
  dynamo,
  table: TableName,
  now,
}: {
  readonly dynamo: Pick<Dynamo, 'get' | 'put'>;
  readonly table: string;
  readonly now: () => number;
}): (models: readonly KnownModel[]) => Promise<void> {
  let written = { list: '', at: 0 };
  return async (models) => {
    const list = JSON.stringify(models.slice(0, MAX_MODELS).map(({ id, about }) => [id, about]));
    if (models.length === 0 || (list === written.list && now() < written.at + REWRITE_INTERVAL_MS)) return;
    const isStored =
      written.list === '' && (await dynamo.get({ TableName, Key: KEY })).Item?.['list']?.S === list;
    if (!isStored) await dynamo.put({ TableName, Item: { ...KEY, list: { S: list } } });
    written = { list, at: now() };
  };
}

/** Returns the stored list; empty if there is none. */
export async function readKnownModels(send: DynamoSend, TableName: string): Promise<readonly KnownModel[]> {
  const answer = await send('GetItem', { TableName, Key: KEY });
  const list = ['Item', 'list', 'S'].reduce(getField, answer);
  const models: unknown = typeof list === 'string' ? JSON.parse(list) : [];
  if (!Array.isArray(models)) return [];
  return models.flatMap((one: unknown) => {
    const [id, about] = [getField(one, '0'), getField(one, '1')];
    return typeof id === 'string' && typeof about === 'string' ? [{ id, about }] : [];
  });
}
