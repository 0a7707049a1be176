import * as v from 'valibot';
import {
  addAuditEntry,
  type AuditEntry,
  type SettingChange,
  type SettingsLayer,
  type SettingsLayers,
  parseSettingValues,
  isSetting,
  type SettingLock,
  type PresetKind,
  type SettingName,
} from '../../settings/rules/index.ts';
import { type Dynamo, isConditionMet, retryConflict } from '../dynamodb/dynamo.ts';
import {
  createPersonPointer,
  levelKey,
  settingsPartition,
  type SettingsPlace,
  levelSortKey,
  type StoredLevel,
  type SettingsLocation,
  type Item,
  numberValue,
} from '../keys/item-keys.ts';
import { type LevelInUse, listLevelsUsing } from './levels-in-use.ts';
import { parseJson, TtlCache } from '../../utils/index.ts';

export type SettingsConfig = {
  readonly dynamo: Dynamo;
  readonly table: string;
  readonly now: () => number;
};

/** The settings of one level. `revision` counts its changes; 0 means none. */
export type StoredLayer = {
  readonly layer: SettingsLayer;
  readonly revision: number;
  readonly log: readonly AuditEntry[];
};

/** The change was not made because of a concurrent one. `now` is the current state. */
export class SettingConflictError extends Error {
  override readonly name = 'SettingConflictError';
  readonly now: StoredLayer;
  constructor(now: StoredLayer) {
    super(`changed concurrently: revision ${now.revision}`);
    this.now = now;
  }
}

const CACHE_TTL_MS = 30_000;
const MAX_ENTRIES = 2_000;
/** Settings of a thread expire some time after its content. */
const THREAD_TTL_DAYS = 400;

const EMPTY: StoredLayer = { layer: { values: {} }, revision: 0, log: [] };

const text = v.object({ S: v.string() });
const item = v.object({
  layer: text,
  log: v.optional(text),
  rev: v.object({ N: v.string() }),
  kinds: v.optional(v.object({ SS: v.array(v.string()) })),
  ttl: v.optional(v.object({ N: v.string() })),
});
type LevelItem = v.InferOutput<typeof item>;
const locks = v.record(v.string(), v.object({ reason: v.string() }));
const ids = v.record(v.string(), v.string());
const stored = v.object({
  values: v.optional(v.unknown()),
  locks: v.optional(locks),
  ids: v.optional(ids),
});
const log = v.array(
  v.object({
    at: v.number(),
    by: v.string(),
    setting: v.string(),
    to: v.string(),
    removed: v.optional(v.string()),
  }),
);

type CachedLayer = StoredLayer & { readonly kinds: ReadonlySet<string> };

/**
 * Settings in the `conversations` table: one item per workspace, channel, person and thread with settings. The
 * workspace's item names the kinds of the others (`kinds`), so that without settings the only cost is one small
 * read per 30 s. Changes by other processes apply after 30 s, and at once to commands; those of this process immediately.
 */
export class SettingsStore {
  readonly #config: SettingsConfig;
  readonly #cache: TtlCache<CachedLayer>;

  constructor(config: SettingsConfig) {
    this.#config = config;
    this.#cache = new TtlCache({ now: config.now, ttlMs: CACHE_TTL_MS, maxEntries: MAX_ENTRIES });
  }

  /**
   * Returns the settings that apply to a place, up to 30 s old. `isFresh`: the current ones (consistent reads), because people type a
   * command directly after the one that changed a setting, and another process may have run that.
   */
  async layers(
    place: SettingsPlace,
    { isFresh = false }: { readonly isFresh?: boolean } = {},
  ): Promise<SettingsLayers> {
    const workspace = await this.#readCached(place, 'workspace', isFresh);
    const others = (['channel', 'person', 'thread'] as const).filter(
      (level) => workspace.kinds.has(level) && levelSortKey(place, level) !== undefined,
    );
    const otherLayers = await Promise.all(
      others.map(async (level) => [level, (await this.#readCached(place, level, isFresh)).layer] as const),
    );
    return { workspace: workspace.layer, ...Object.fromEntries(otherLayers) };
  }

  /** Returns the current settings of a level (consistent read). */
  async read(place: SettingsPlace, level: StoredLevel): Promise<StoredLayer> {
    return this.#fetch(place, level, true);
  }

  /**
   * Makes an authorized change. `expected` is the revision that the person saw: rejects with
   * SettingConflictError if there is a newer one. Without it, the change applies to the current state. Nothing
   * changes if `edit` returns undefined.
   */
  async change(
    place: SettingsPlace,
    level: StoredLevel,
    {
      change,
      edit,
      by,
      expected,
    }: {
      readonly change: SettingChange;
      readonly edit: (layer: SettingsLayer) => SettingsLayer | undefined;
      readonly by: string;
      readonly expected?: number | undefined;
    },
  ): Promise<StoredLayer> {
    // `kinds` is written first: an interruption then causes an unnecessary read, not a missing one.
    if (level !== 'workspace') await this.#addKind(place, level);
    // The pointer from the person to the audit log that names them.
    await this.#writePointer(place, level, by);
    const attempted = new Set<string>();
    return retryConflict(async () => {
      const before = await this.#fetch(place, level, true);
      // An attempt without a response took effect before another person's change.
      if (before.log.some((entry) => attempted.has(JSON.stringify(entry)))) return before;
      if (expected !== undefined && expected !== before.revision) throw new SettingConflictError(before);
      const layer = edit(before.layer);
      if (!layer) return before;
      const after: StoredLayer = {
        layer,
        revision: before.revision + 1,
        log: addAuditEntry(before.log, change, by, this.#config.now()),
      };
      attempted.add(JSON.stringify(after.log[0]));
      try {
        await this.#write(place, level, before.revision, after);
        return after;
      } finally {
        this.#cache.delete(cacheKey(place, level));
      }
    });
  }

  /** Returns the levels of a workspace that use this preset. Reads all settings of the workspace, so use it rarely. */
  levelsUsing(of: SettingsLocation, kind: PresetKind, name: string): Promise<LevelInUse[]> {
    return listLevelsUsing(this.#config, of, kind, name);
  }

  /** Resolves with whether this is the first claim of this name in the workspace, for notices that people get once. It may be forgotten at `untilMs`. */
  async claimNotice(of: SettingsLocation, name: string, untilMs: number): Promise<boolean> {
    const { dynamo, table: TableName } = this.#config;
    return isConditionMet(
      dynamo.put({
        TableName,
        Item: {
          pk: { S: settingsPartition(of) },
          sk: { S: `NOTICE#${name}` },
          ttl: numberValue(Math.ceil(untilMs / 1_000)),
        },
        ConditionExpression: 'attribute_not_exists(pk)',
      }),
    );
  }

  #readCached(place: SettingsPlace, level: StoredLevel, isFresh: boolean): Promise<CachedLayer> {
    const key = cacheKey(place, level);
    if (isFresh) return this.#cache.refresh(key, () => this.#fetch(place, level, true));
    return this.#cache.get(key, () => this.#fetch(place, level, false));
  }

  async #fetch(place: SettingsPlace, level: StoredLevel, consistent: boolean): Promise<CachedLayer> {
    const { dynamo, table, now } = this.#config;
    const Key = levelKey(place, level);
    const { Item: levelItem } = await dynamo.get({ TableName: table, Key, ConsistentRead: consistent });
    const kinds = new Set(getKinds(levelItem));
    const isExpired = (one: LevelItem): boolean =>
      one.ttl !== undefined && Number(one.ttl.N) <= now() / 1_000;
    if (!v.is(item, levelItem) || isExpired(levelItem)) return { ...EMPTY, kinds };
    const storedLog = parseJson(levelItem.log?.S ?? 'null');
    return {
      layer: parseLayer(levelItem.layer.S),
      revision: Number(levelItem.rev.N),
      log: v.is(log, storedLog) ? storedLog : [],
      kinds,
    };
  }

  async #write(
    place: SettingsPlace,
    level: StoredLevel,
    revision: number,
    after: StoredLayer,
  ): Promise<void> {
    const { dynamo, table, now } = this.#config;
    const canExpire = level === 'thread';
    const isNew = revision === 0;
    // DynamoDB deletes expired items late.
    const isAbsent = `attribute_not_exists(#rev)${canExpire ? ' OR #ttl <= :now' : ''}`;
    await dynamo.update({
      TableName: table,
      Key: levelKey(place, level),
      UpdateExpression: `SET #layer = :layer, #log = :log, #rev = :rev${canExpire ? ', #ttl = :ttl' : ''}`,
      ConditionExpression: isNew ? isAbsent : '#rev = :before',
      ExpressionAttributeNames: {
        '#layer': 'layer',
        '#log': 'log',
        '#rev': 'rev',
        ...(canExpire ? { '#ttl': 'ttl' } : {}),
      },
      ExpressionAttributeValues: {
        ':layer': { S: JSON.stringify(after.layer) },
        ':log': { S: JSON.stringify(after.log) },
        ':rev': numberValue(after.revision),
        ...(isNew ? {} : { ':before': numberValue(revision) }),
        ...(canExpire ? { ':ttl': this.#threadExpiry() } : {}),
        ...(isNew && canExpire ? { ':now': numberValue(now() / 1_000) } : {}),
      },
    });
  }

  async #writePointer(place: SettingsPlace, level: StoredLevel, by: string): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    const ttl = level === 'thread' ? this.#threadExpiry() : undefined;
    await dynamo.put({ TableName, Item: createPersonPointer(levelKey(place, level), by, ttl) });
  }

  #threadExpiry(): { N: string } {
    return numberValue(this.#config.now() / 1_000 + THREAD_TTL_DAYS * 86_400);
  }

  async #addKind(place: SettingsPlace, level: StoredLevel): Promise<void> {
    const { dynamo, table } = this.#config;
    await dynamo.update({
      TableName: table,
      Key: levelKey(place, 'workspace'),
      UpdateExpression: 'ADD #kinds :kind',
      ExpressionAttributeNames: { '#kinds': 'kinds' },
      ExpressionAttributeValues: { ':kind': { SS: [level] } },
    });
    this.#cache.delete(cacheKey(place, 'workspace'));
  }
}

const cacheKey = (place: SettingsPlace, level: StoredLevel): string =>
  `${settingsPartition(place)} ${levelSortKey(place, level) ?? ''}`;

function getKinds(levelItem: Item | undefined): readonly string[] {
  return levelItem?.['kinds']?.SS ?? [];
}

function parseLayer(written: string): SettingsLayer {
  const { success, output: data } = v.safeParse(stored, parseJson(written));
  if (!success) return { values: {} };
  const entries = Object.entries(data.locks ?? {}).filter((entry): entry is [SettingName, SettingLock] =>
    isSetting(entry[0]),
  );
  const named = Object.entries(data.ids ?? {}).filter(([name]) => isSetting(name));
  return {
    values: parseSettingValues(data.values),
    locks: Object.fromEntries(entries),
    ...(named.length > 0 && { ids: Object.fromEntries(named) }),
  };
}
