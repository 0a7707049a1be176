import type { Dynamo } from '../dynamodb/dynamo.ts';
import { type DynamoSend, within } from '../dynamodb/json-protocol.ts';

/** A model of the live list, as it is suggested while its name is typed. */
export type KnownModel = {
  readonly id: string;
  /** What people choose by, in few characters. */
  readonly about: string;
};

/** One item for the whole deployment: the models are its own, not a workspace's. */
const KEY = { pk: { S: 'MODELS' }, sk: { S: 'LIST' } };
const MAX = 500;
/** Written again after so long, though nothing changed. */
const AGAIN_MS = 60 * 60_000;

/**
 * Keeps the live list of models where a front reads it by one small request: a front holds no key of the models, and has
 * no time to ask for them. Written by whoever has just fetched the list, when it has changed.
 */
export function modelKeeper({
  dynamo,
  table: TableName,
  now,
}: {
  readonly dynamo: Pick<Dynamo, 'put'>;
  readonly table: string;
  readonly now: () => number;
}): (models: readonly KnownModel[]) => Promise<void> {
  let kept = { list: '', at: 0 };
  return async (models) => {
    const list = JSON.stringify(models.slice(0, MAX).map(({ id, about }) => [id, about]));
    if (models.length === 0 || (list === kept.list && now() < kept.at + AGAIN_MS)) return;
    await dynamo.put({ TableName, Item: { ...KEY, list: { S: list } } });
    kept = { list, at: now() };
  };
}

/** The list that was kept last; empty where there is none. */
export async function knownModels(send: DynamoSend, TableName: string): Promise<readonly KnownModel[]> {
  const answer = await send('GetItem', { TableName, Key: KEY });
  const list = ['Item', 'list', 'S'].reduce(within, answer);
  const models: unknown = typeof list === 'string' ? JSON.parse(list) : [];
  if (!Array.isArray(models)) return [];
  return models.flatMap((one: unknown) => {
    const [id, about] = [within(one, '0'), within(one, '1')];
    return typeof id === 'string' && typeof about === 'string' ? [{ id, about }] : [];
  });
}
