import type { QueryCommandOutput } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import { type PresetKind, PRESET_SETTINGS } from '../../settings/rules/index.ts';
import type { Dynamo } from '../dynamodb/dynamo.ts';
import {
  settingsPartition,
  type SettingsPlace,
  type StoredLevel,
  type SettingsLocation,
  type Item,
} from '../keys/item-keys.ts';

/** A level that uses a preset. */
export type LevelInUse = { readonly level: StoredLevel; readonly place: SettingsPlace };

export type LevelsConfig = { readonly dynamo: Pick<Dynamo, 'query'>; readonly table: string };

const FIRST = 'LEVEL#';
const LAST = 'LEVEL$';

const layer = v.object({ values: v.optional(v.record(v.string(), v.unknown())) });

/** Returns the levels of a workspace that use this preset. Reads all settings of the workspace consistently. */
export async function listLevelsUsing(
  config: LevelsConfig,
  of: SettingsLocation,
  kind: PresetKind,
  name: string,
): Promise<LevelInUse[]> {
  const keys = await listLevelKeysUsing(config, settingsPartition(of), kind, name);
  return keys.flatMap((sk) => parseLevel(of, sk) ?? []);
}

/** Returns the sort keys of these levels, in the workspace with this partition. */
export async function listLevelKeysUsing(
  { dynamo, table }: LevelsConfig,
  partition: string,
  kind: PresetKind,
  name: string,
): Promise<string[]> {
  const setting = PRESET_SETTINGS[kind];
  if (setting === undefined) return [];
  const levels: string[] = [];
  let from: Item | undefined;
  do {
    const page: Pick<QueryCommandOutput, 'Items' | 'LastEvaluatedKey'> = await dynamo.query({
      TableName: table,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: { ':pk': { S: partition }, ':first': { S: FIRST }, ':last': { S: LAST } },
      ConsistentRead: true,
      ...(from && { ExclusiveStartKey: from }),
    });
    const items = page.Items ?? [];
    levels.push(
      ...items.flatMap((item) => (readValues(item)?.[setting] === name ? (item['sk']?.S ?? []) : [])),
    );
    from = page.LastEvaluatedKey;
  } while (from);
  return levels;
}

function readValues(item: Item): Readonly<Record<string, unknown>> | undefined {
  try {
    const read = v.safeParse(layer, JSON.parse(item['layer']?.S ?? 'null'));
    return read.success ? read.output.values : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the level of a sort key: see `levelSortKey`. */
function parseLevel({ platform, workspace, user }: SettingsLocation, sk: string): LevelInUse | undefined {
  const [, level, of = '', root = ''] = sk.split('#');
  const place = { platform, workspace, user };
  if (level === 'workspace') return { level, place };
  if (level === 'channel') return { level, place: { ...place, channel: of } };
  if (level === 'person') return { level, place: { ...place, user: of } };
  return level === 'thread' ? { level, place: { ...place, thread: { channel: of, root } } } : undefined;
}
