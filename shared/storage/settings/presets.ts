import * as v from 'valibot';
import { MAX_PRESETS, type PresetKind } from '../../settings/rules/index.ts';
import { ConditionFailedError, type Dynamo } from '../dynamodb/dynamo.ts';
import { TtlCache } from '../../utils/index.ts';
import { presetNamesKey, settingsPartition, type SettingsLocation, numberValue } from '../keys/item-keys.ts';

export type Preset = {
  readonly name: string;
  readonly text: string;
  /** Who saved it last; undefined if they were erased. */
  readonly by: string | undefined;
  /** ms since 1970. */
  readonly at: number;
  /**
   * Distinguishes it from an earlier or later preset of the same name. Absent for presets from earlier
   * versions.
   */
  readonly id?: string | undefined;
  /** Others use it: only administrators may change it. */
  readonly adminOnly: boolean;
  /** The number of changes. */
  readonly revision: number;
};

/** A preset to save. `id` is used for a new one only. */
export type NewPreset = Pick<Preset, 'name' | 'text' | 'by' | 'id'> & {
  readonly adminOnly?: boolean | undefined;
};

/** The preset was not changed: another person has changed it since it was read. */
export class PresetChangedError extends Error {
  override readonly name = 'PresetChangedError';
  constructor() {
    super('the preset was changed since it was read');
  }
}

/** The stored author of a preset whose author was erased: the person index does not allow empty names. */
export const NO_AUTHOR = '-';

export type PresetsConfig = { readonly dynamo: Dynamo; readonly table: string; readonly now: () => number };

const CACHE_TTL_MS = 30_000;
const MAX_ENTRIES = 200;

const text = v.object({ S: v.string() });
const shape = v.object({
  name: text,
  text,
  by: text,
  at: v.object({ N: v.string() }),
  uid: v.optional(text),
  rev: v.optional(v.object({ N: v.string() })),
  admins: v.optional(v.object({ BOOL: v.boolean() })),
});

/** The presets of each workspace (personas and schemas), stored beside its settings. */
export class Presets {
  readonly #config: PresetsConfig;
  readonly #cache: TtlCache<Preset | undefined>;

  constructor(config: PresetsConfig) {
    this.#config = config;
    this.#cache = new TtlCache({ now: config.now, ttlMs: CACHE_TTL_MS, maxEntries: MAX_ENTRIES });
  }

  /** Returns a preset, up to 30 s old, unless this process changed it. */
  get(location: SettingsLocation, kind: PresetKind, name: string): Promise<Preset | undefined> {
    const { dynamo, table } = this.#config;
    return this.#cache.get(cacheKey(location, kind, name), async () => {
      const { Item } = await dynamo.get({ TableName: table, Key: presetKey(location, kind, name) });
      return parsePreset(Item);
    });
  }

  /** Returns all presets of a kind, by name. */
  async list(location: SettingsLocation, kind: PresetKind): Promise<Preset[]> {
    const { dynamo, table } = this.#config;
    const { Items = [] } = await dynamo.query({
      TableName: table,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: {
        ':pk': { S: settingsPartition(location) },
        ':first': { S: presetPrefix(kind) },
        ':last': { S: `SAVED#${kind}$` },
      },
      Limit: 2 * MAX_PRESETS,
    });
    return Items.flatMap((item) => parsePreset(item) ?? []);
  }

  /** Returns the current preset (consistent read). */
  async read(location: SettingsLocation, kind: PresetKind, name: string): Promise<Preset | undefined> {
    const { dynamo, table } = this.#config;
    const { Item } = await dynamo.get({
      TableName: table,
      Key: presetKey(location, kind, name),
      ConsistentRead: true,
    });
    return parsePreset(Item);
  }

  /**
   * Saves a preset and replaces `before`, which was read by the same name; undefined if there was none. Rejects
   * with PresetChangedError if it was changed meanwhile. Resolves with the saved preset.
   */
  async save(
    location: SettingsLocation,
    kind: PresetKind,
    { name, text: words, by, id, adminOnly }: NewPreset,
    before: Preset | undefined,
  ): Promise<Preset> {
    const { dynamo, table, now } = this.#config;
    const after: Preset = {
      name,
      text: words,
      by,
      at: now(),
      id: before ? before.id : id,
      adminOnly: adminOnly ?? before?.adminOnly ?? false,
      revision: (before?.revision ?? 0) + 1,
    };
    const write = dynamo.put({
      TableName: table,
      Item: {
        ...presetKey(location, kind, name),
        name: { S: name },
        text: { S: words },
        by: { S: by ?? NO_AUTHOR },
        at: numberValue(after.at),
        rev: numberValue(after.revision),
        ...(after.id !== undefined && { uid: { S: after.id } }),
        ...(after.adminOnly && { admins: { BOOL: true } }),
      },
      ...unchangedSince(before),
    });
    await this.#changed(write, location, kind, name);
    await updatePresetNames(this.#config, presetNamesKey(location, kind), name, 'ADD');
    return after;
  }

  /**
   * Deletes a preset. Rejects with PresetChangedError if it was changed since it was read; a deleted one is no
   * error.
   */
  async remove(location: SettingsLocation, kind: PresetKind, name: string, before: Preset): Promise<void> {
    const { dynamo, table } = this.#config;
    const write = dynamo.delete({
      TableName: table,
      Key: presetKey(location, kind, name),
      ...unchangedSince(before),
    });
    await this.#changed(write, location, kind, name);
    await updatePresetNames(this.#config, presetNamesKey(location, kind), name, 'DELETE');
  }

  async #changed(
    write: Promise<unknown>,
    location: SettingsLocation,
    kind: PresetKind,
    name: string,
  ): Promise<void> {
    try {
      await write;
    } catch (error) {
      throw error instanceof ConditionFailedError ? new PresetChangedError() : error;
    } finally {
      this.#cache.delete(cacheKey(location, kind, name));
    }
  }
}

/** Adds a name to the names of a kind, or removes it. Idempotent. */
export async function updatePresetNames(
  { dynamo, table: TableName }: Pick<PresetsConfig, 'table'> & { readonly dynamo: Pick<Dynamo, 'update'> },
  Key: ReturnType<typeof presetNamesKey>,
  name: string,
  how: 'ADD' | 'DELETE',
): Promise<void> {
  await dynamo
    .update({
      TableName,
      Key,
      UpdateExpression: `${how} #names :name`,
      ExpressionAttributeNames: { '#names': 'names' },
      ExpressionAttributeValues: { ':name': { SS: [name] } },
      // Does not recreate an item that was erased.
      ...(how === 'DELETE' && { ConditionExpression: 'attribute_exists(pk)' }),
    })
    .catch((error: unknown) => {
      if (!(error instanceof ConditionFailedError)) throw error;
    });
}

const presetPrefix = (kind: PresetKind): string => `SAVED#${kind}#`;
const presetKey = (location: SettingsLocation, kind: PresetKind, name: string) => ({
  pk: { S: settingsPartition(location) },
  sk: { S: `${presetPrefix(kind)}${name}` },
});

const cacheKey = (location: SettingsLocation, kind: PresetKind, name: string): string =>
  `${settingsPartition(location)} ${presetPrefix(kind)}${name}`;

/**
 * The condition that a preset is unchanged. Presets of earlier versions have no revision and are compared by
 * time.
 */
function unchangedSince(before: Preset | undefined) {
  if (!before) return { ConditionExpression: 'attribute_not_exists(pk)' };
  return before.revision > 0
    ? {
        ConditionExpression: 'rev = :rev',
        ExpressionAttributeValues: { ':rev': numberValue(before.revision) },
      }
    : {
        ConditionExpression: 'attribute_not_exists(rev) AND #at = :at',
        ExpressionAttributeNames: { '#at': 'at' },
        ExpressionAttributeValues: { ':at': numberValue(before.at) },
      };
}

/** Parses a stored preset; undefined for other items. */
function parsePreset(item: Readonly<Record<string, unknown>> | undefined): Preset | undefined {
  const { success, output: data } = v.safeParse(shape, item);
  if (!success) return undefined;
  return {
    name: data.name.S,
    text: data.text.S,
    by: data.by.S === NO_AUTHOR ? undefined : data.by.S,
    at: Number(data.at.N),
    id: data.uid?.S,
    adminOnly: data.admins?.BOOL === true,
    revision: Number(data.rev?.N ?? 0),
  };
}
