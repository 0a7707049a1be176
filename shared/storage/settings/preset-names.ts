import type { PresetKind } from '../../settings/rules/index.ts';
import { type DynamoSend, getField } from '../dynamodb/json-protocol.ts';
import { presetNamesKey, type SettingsLocation } from '../keys/item-keys.ts';

/** Returns the names of all presets of a kind, for autocompletion in a front: without a validation library. */
export async function readPresetNames(
  send: DynamoSend,
  TableName: string,
  of: SettingsLocation,
  kind: PresetKind,
): Promise<readonly string[]> {
  const answer = await send('GetItem', { TableName, Key: presetNamesKey(of, kind) });
  const names = ['Item', 'names', 'SS'].reduce(getField, answer);
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string').toSorted() : [];
}
