import * as v from 'valibot';
import {
  auditEntry,
  type AuditEntry,
  type SettingChange,
  type SettingsLayer,
  type SettingsLayers,
  readLayer,
  isSetting,
  type SettingLock,
  type PresetKind,
  type SettingName,
} from '../../settings/rules/index.ts';
import { ConditionFailed, type Dynamo } from '../dynamodb/dynamo.ts';
import { personPointer } from '../privacy/person-pointers.ts';
import { type LevelInUse, levelsUsing } from './levels-in-use.ts';
import { TtlCache } from '../dynamodb/ttl-cache.ts';
import {
  levelKey,
  settingsPartition,
  type SettingsPlace,
  sortKey,
  type StoredLevel,
  type SettingsLocation,
} from './settings-keys.ts';
import { type Item, numeral } from '../turns/turn-keys.ts';

export type SettingsConfig = {
  readonly dynamo: Dynamo;
  readonly table: string;
  readonly now: () => number;
};

/** What is stored at one level. `revision` counts its changes; 0 is none. */
export type Stored = {
  readonly layer: SettingsLayer;
  readonly revision: number;
  readonly log: readonly AuditEntry[];
};

/** A change was not made: somebody else made one since, which `now` holds. */
export class SettingChangedConcurrently extends Error {
  override readonly name = 'Overtaken';
  readonly now: Stored;
  constructor(now: Stored) {
    super(`somebody else changed it: revision ${now.revision}`);
    this.now = now;
  }
}

const CACHE_TTL_MS = 30_000;
const MAX_ENTRIES = 2_000;
const TRIES = 5;
/** Settings of a thread go with what was said in it, some time later. */
const THREAD_DAYS = 400;

const EMPTY: Stored = { layer: { values: {} }, revision: 0, log: [] };

const text = v.object({ S: v.string() });
const item = v.object({
  layer: text,
  log: v.optional(text),
  rev: v.object({ N: v.string() }),
  kinds: v.optional(v.object({ SS: v.array(v.string()) })),
  ttl: v.optional(v.object({ N: v.string() })),
});
type Kept = v.InferOutput<typeof item>;
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

type Read = Stored & { readonly kinds: ReadonlySet<string> };

/**
 * Settings in the `conversations` table: one item for each workspace, channel, person and thread in which something was
 * set. The workspace's names the kinds of the others (`kinds`), so that where nobody set anything, one small read in
 * 30 s is all that it costs. What others change counts after 30 s, what this process changes at once.
 */
export class SettingsStore {
  readonly #config: SettingsConfig;
  readonly #recent: TtlCache<Read>;

  constructor(config: SettingsConfig) {
    this.#config = config;
    this.#recent = new TtlCache({ now: config.now, keptMs: CACHE_TTL_MS, most: MAX_ENTRIES });
  }

  /** What was set where this is asked, up to 30 s ago. */
  async layers(place: SettingsPlace): Promise<SettingsLayers> {
    const workspace = await this.#seen(place, 'workspace');
    const others = (['channel', 'person', 'thread'] as const).filter(
      (level) => workspace.kinds.has(level) && sortKey(place, level) !== undefined,
    );
    const found = await Promise.all(
      others.map(async (level) => [level, (await this.#seen(place, level)).layer] as const),
    );
    return { workspace: workspace.layer, ...Object.fromEntries(found) };
  }

  /** What is stored at a level just now. */
  async read(place: SettingsPlace, level: StoredLevel): Promise<Stored> {
    return this.#fetch(place, level, true);
  }

  /**
   * Makes a change that was granted. `expected` is the revision that the person saw: rejects with Overtaken when there is
   * a newer one. Without it, the change is made to whatever is there; where `edit` resolves with undefined, nothing is changed.
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
  ): Promise<Stored> {
    // First the mark, then what it points to: broken off in between, a read too many is made, and none too few.
    if (level !== 'workspace') await this.#mark(place, level);
    // Leads from who makes the change to the list of changes that names them.
    await this.#point(place, level, by);
    for (let attempt = 1; ; attempt += 1) {
      const before = await this.#fetch(place, level, true);
      if (expected !== undefined && expected !== before.revision)
        throw new SettingChangedConcurrently(before);
      const layer = edit(before.layer);
      if (!layer) return before;
      const after: Stored = {
        layer,
        revision: before.revision + 1,
        log: auditEntry(before.log, change, by, this.#config.now()),
      };
      try {
        await this.#write(place, level, before.revision, after);
        return after;
      } catch (error) {
        if (!(error instanceof ConditionFailed) || attempt === TRIES) throw error;
      } finally {
        this.#recent.forget(keyText(place, level));
      }
    }
  }

  /** The levels of a workspace that refer to the saved text of this name. Reads all that is set there: for rare calls. */
  levelsUsing(of: SettingsLocation, kind: PresetKind, name: string): Promise<LevelInUse[]> {
    return levelsUsing(this.#config, of, kind, name);
  }

  #seen(place: SettingsPlace, level: StoredLevel): Promise<Read> {
    return this.#recent.get(keyText(place, level), () => this.#fetch(place, level, false));
  }

  async #fetch(place: SettingsPlace, level: StoredLevel, consistent: boolean): Promise<Read> {
    const { dynamo, table, now } = this.#config;
    const Key = levelKey(place, level);
    const { Item: found } = await dynamo.get({ TableName: table, Key, ConsistentRead: consistent });
    const kinds = new Set(kindsIn(found));
    const expired = (one: Kept): boolean => one.ttl !== undefined && Number(one.ttl.N) <= now() / 1_000;
    if (!v.is(item, found) || expired(found)) return { ...EMPTY, kinds };
    const told = json(found.log?.S);
    return {
      layer: layerIn(found.layer.S),
      revision: Number(found.rev.N),
      log: v.is(log, told) ? told : [],
      kinds,
    };
  }

  async #write(place: SettingsPlace, level: StoredLevel, revision: number, after: Stored): Promise<void> {
    const { dynamo, table } = this.#config;
    const lasting = level === 'thread' ? ', #ttl = :ttl' : '';
    await dynamo.update({
      TableName: table,
      Key: levelKey(place, level),
      UpdateExpression: `SET #layer = :layer, #log = :log, #rev = :rev${lasting}`,
      ConditionExpression: revision === 0 ? 'attribute_not_exists(#rev)' : '#rev = :before',
      ExpressionAttributeNames: {
        '#layer': 'layer',
        '#log': 'log',
        '#rev': 'rev',
        ...(level === 'thread' ? { '#ttl': 'ttl' } : {}),
      },
      ExpressionAttributeValues: {
        ':layer': { S: JSON.stringify(after.layer) },
        ':log': { S: JSON.stringify(after.log) },
        ':rev': numeral(after.revision),
        ...(revision === 0 ? {} : { ':before': numeral(revision) }),
        ...(level === 'thread' ? { ':ttl': this.#threadExpiry() } : {}),
      },
    });
  }

  async #point(place: SettingsPlace, level: StoredLevel, by: string): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    const ttl = level === 'thread' ? this.#threadExpiry() : undefined;
    await dynamo.put({ TableName, Item: personPointer(levelKey(place, level), by, ttl) });
  }

  #threadExpiry(): { N: string } {
    return numeral(this.#config.now() / 1_000 + THREAD_DAYS * 86_400);
  }

  async #mark(place: SettingsPlace, level: StoredLevel): Promise<void> {
    const { dynamo, table } = this.#config;
    await dynamo.update({
      TableName: table,
      Key: levelKey(place, 'workspace'),
      UpdateExpression: 'ADD #kinds :kind',
      ExpressionAttributeNames: { '#kinds': 'kinds' },
      ExpressionAttributeValues: { ':kind': { SS: [level] } },
    });
    this.#recent.forget(keyText(place, 'workspace'));
  }
}

const keyText = (place: SettingsPlace, level: StoredLevel): string =>
  `${settingsPartition(place)} ${sortKey(place, level) ?? ''}`;

function kindsIn(found: Item | undefined): readonly string[] {
  return found?.['kinds']?.SS ?? [];
}

function layerIn(written: string): SettingsLayer {
  const { success, output: data } = v.safeParse(stored, json(written));
  if (!success) return { values: {} };
  const held = Object.entries(data.locks ?? {}).filter((entry): entry is [SettingName, SettingLock] =>
    isSetting(entry[0]),
  );
  const named = Object.entries(data.ids ?? {}).filter(([name]) => isSetting(name));
  return {
    values: readLayer(data.values),
    locks: Object.fromEntries(held),
    ...(named.length > 0 && { ids: Object.fromEntries(named) }),
  };
}

function json(written: string | undefined): unknown {
  try {
    return JSON.parse(written ?? 'null');
  } catch {
    return undefined;
  }
}
