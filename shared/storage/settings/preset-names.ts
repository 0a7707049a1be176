import type { PresetKind } from '../../settings/rules/index.ts';
import { type DynamoSend, within } from '../dynamodb/json-protocol.ts';
import { namesKey, type SettingsLocation } from './settings-keys.ts';

/** The names of all that is saved of a kind, read without a validator: for a front, which suggests them while they are typed. */
export async function presetNames(
  send: DynamoSend,
  TableName: string,
  of: SettingsLocation,
  kind: PresetKind,
): Promise<readonly string[]> {
  const answer = await send('GetItem', { TableName, Key: namesKey(of, kind) });
  const names = ['Item', 'names', 'SS'].reduce(within, answer);
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string').toSorted() : [];
}
