import * as v from 'valibot';
import { MAX_SAVED, type PresetKind } from '../../settings/rules/index.ts';
import { ConditionFailed, type Dynamo } from '../dynamodb/dynamo.ts';
import { TtlCache } from '../dynamodb/ttl-cache.ts';
import { namesKey, settingsPartition, type SettingsLocation } from './settings-keys.ts';
import { numeral } from '../turns/turn-keys.ts';

export type Preset = {
  readonly name: string;
  readonly text: string;
  /** Who saved it last; undefined once they were forgotten. */
  readonly by: string | undefined;
  /** ms since 1970. */
  readonly at: number;
  /** Tells it from another text of the same name, before or after it. Absent for those that earlier versions saved first. */
  readonly id?: string | undefined;
  /** It was put to use for others: only those who administer may change it. */
  readonly adminOnly: boolean;
  /** Counts its changes. */
  readonly revision: number;
};

/** What is to be saved. `id` counts for a text that there was not before. */
export type NewPreset = Pick<Preset, 'name' | 'text' | 'by' | 'id'> & {
  readonly adminOnly?: boolean | undefined;
};

/** A text was not saved or removed: somebody else has changed it since it was read. */
export class PresetChangedError extends Error {
  override readonly name = 'SavedChanged';
  constructor() {
    super('somebody else changed it');
  }
}

/** Who saved a text whose author was forgotten, as it is stored: the index of persons takes no empty name. */
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

/** Personas and schemas of each workspace, beside its settings. */
export class Presets {
  readonly #config: PresetsConfig;
  readonly #recent: TtlCache<Preset | undefined>;

  constructor(config: PresetsConfig) {
    this.#config = config;
    this.#recent = new TtlCache({ now: config.now, keptMs: CACHE_TTL_MS, most: MAX_ENTRIES });
  }

  /** As it was up to 30 s ago, unless this process changed it since. */
  get(of: SettingsLocation, kind: PresetKind, name: string): Promise<Preset | undefined> {
    const { dynamo, table } = this.#config;
    return this.#recent.get(keyText(of, kind, name), async () => {
      const { Item } = await dynamo.get({ TableName: table, Key: keyOf(of, kind, name) });
      return read(Item);
    });
  }

  /** All of a kind, by name. */
  async list(of: SettingsLocation, kind: PresetKind): Promise<Preset[]> {
    const { dynamo, table } = this.#config;
    const { Items = [] } = await dynamo.query({
      TableName: table,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: {
        ':pk': { S: settingsPartition(of) },
        ':first': { S: prefixOf(kind) },
        ':last': { S: `SAVED#${kind}$` },
      },
      Limit: 2 * MAX_SAVED,
    });
    return Items.flatMap((found) => read(found) ?? []);
  }

  /** As it is just now. */
  async read(of: SettingsLocation, kind: PresetKind, name: string): Promise<Preset | undefined> {
    const { dynamo, table } = this.#config;
    const { Item } = await dynamo.get({
      TableName: table,
      Key: keyOf(of, kind, name),
      ConsistentRead: true,
    });
    return read(Item);
  }

  /**
   * Saves it, in place of `before`, which was read by the same name: undefined for nothing. Rejects with PresetChangedError where that is
   * not what is there any more. Resolves with what is there now.
   */
  async save(
    of: SettingsLocation,
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
        ...keyOf(of, kind, name),
        name: { S: name },
        text: { S: words },
        by: { S: by ?? NO_AUTHOR },
        at: numeral(after.at),
        rev: numeral(after.revision),
        ...(after.id !== undefined && { uid: { S: after.id } }),
        ...(after.adminOnly && { admins: { BOOL: true } }),
      },
      ...unchangedSince(before),
    });
    await this.#changed(write, of, kind, name);
    await nameSaved(this.#config, namesKey(of, kind), name, 'ADD');
    return after;
  }

  /** Removes it as it was read. Rejects with PresetChangedError where it is not that any more; one that is gone is gone. */
  async remove(of: SettingsLocation, kind: PresetKind, name: string, before: Preset): Promise<void> {
    const { dynamo, table } = this.#config;
    const write = dynamo.delete({
      TableName: table,
      Key: keyOf(of, kind, name),
      ...unchangedSince(before),
    });
    await this.#changed(write, of, kind, name);
    await nameSaved(this.#config, namesKey(of, kind), name, 'DELETE');
  }

  async #changed(
    write: Promise<unknown>,
    of: SettingsLocation,
    kind: PresetKind,
    name: string,
  ): Promise<void> {
    try {
      await write;
    } catch (error) {
      throw error instanceof ConditionFailed ? new PresetChangedError() : error;
    } finally {
      this.#recent.forget(keyText(of, kind, name));
    }
  }
}

/** Adds a name to those of a kind, or takes it out. Safe to repeat. */
export async function nameSaved(
  { dynamo, table: TableName }: Pick<PresetsConfig, 'table'> & { readonly dynamo: Pick<Dynamo, 'update'> },
  Key: ReturnType<typeof namesKey>,
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
      // What is forgotten whole does not come back.
      ...(how === 'DELETE' && { ConditionExpression: 'attribute_exists(pk)' }),
    })
    .catch((error: unknown) => {
      if (!(error instanceof ConditionFailed)) throw error;
    });
}

const prefixOf = (kind: PresetKind): string => `SAVED#${kind}#`;
const keyOf = (of: SettingsLocation, kind: PresetKind, name: string) => ({
  pk: { S: settingsPartition(of) },
  sk: { S: `${prefixOf(kind)}${name}` },
});

const keyText = (of: SettingsLocation, kind: PresetKind, name: string): string =>
  `${settingsPartition(of)} ${prefixOf(kind)}${name}`;

/** The condition that a text is as it was read. Those of earlier versions have no revision, and are told by when they were saved. */
function unchangedSince(before: Preset | undefined) {
  if (!before) return { ConditionExpression: 'attribute_not_exists(pk)' };
  return before.revision > 0
    ? { ConditionExpression: 'rev = :rev', ExpressionAttributeValues: { ':rev': numeral(before.revision) } }
    : {
        ConditionExpression: 'attribute_not_exists(rev) AND #at = :at',
        ExpressionAttributeNames: { '#at': 'at' },
        ExpressionAttributeValues: { ':at': numeral(before.at) },
      };
}

/** A saved text as it lies in the table; undefined for what is none. */
function read(found: Readonly<Record<string, unknown>> | undefined): Preset | undefined {
  const { success, output: data } = v.safeParse(shape, found);
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
