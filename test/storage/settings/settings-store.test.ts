import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type SettingChange,
  type SettingsLayer,
  parsePresetName,
} from '../../../shared/settings/rules/index.ts';
import {
  type Dynamo,
  SettingConflictError,
  PresetChangedError,
  Presets,
  type SettingsPlace,
  SettingsStore,
  type StoredLevel,
} from '../../../shared/storage/index.ts';
import { readPresetNames } from '../../../shared/storage/settings/preset-names.ts';
import { presetNamesKey } from '../../../shared/storage/keys/item-keys.ts';
import { startTables } from '../../fakes/tables.ts';

let tables: Awaited<ReturnType<typeof startTables>>;
beforeAll(async () => {
  tables = await startTables();
});
afterAll(() => tables.close());

let spaces = 0;

/** A workspace of its own, and two processes, with a clock that stands still. */
function set() {
  spaces += 1;
  const reads: string[] = [];
  const consistency: (boolean | undefined)[] = [];
  const clock = { now: 1_700_000_000_000 };
  const dynamo: Dynamo = {
    ...tables.dynamo,
    get: (input) => {
      reads.push(input.Key?.['sk']?.S ?? '');
      consistency.push(input.ConsistentRead);
      return tables.dynamo.get(input);
    },
  };
  const config = { dynamo, table: 'conversations', now: () => clock.now };
  const place: SettingsPlace = {
    platform: 'slack',
    workspace: `T${spaces}`,
    channel: 'C1',
    user: 'U1',
    thread: { channel: 'C1', root: '1.1' },
  };
  return {
    place,
    clock,
    reads,
    consistency,
    config,
    store: new SettingsStore(config),
    other: new SettingsStore(config),
  };
}

const to = (level: StoredLevel, model: string) => {
  const change: SettingChange = { kind: 'value', level, setting: 'model', value: model };
  return {
    change,
    edit: (layer: SettingsLayer): SettingsLayer => ({ ...layer, values: { ...layer.values, model } }),
    by: 'U1',
  };
};

describe('settings in the table', () => {
  test('cost one small read in 30 s while nothing is set', async () => {
    const { store, place, reads, clock } = set();
    await Promise.all([store.layers(place), store.layers(place)]);
    await store.layers(place);
    expect(reads).toEqual(['LEVEL#workspace']);
    clock.now += 30_001;
    await expect(store.layers(place)).resolves.toEqual({ workspace: { values: {} } });
    expect(reads).toHaveLength(2);
  });

  test('apply per level: in this process immediately, in others after 30 s, and to commands there at once', async () => {
    const { store, other, place, clock, consistency } = set();
    await other.layers(place);
    for (const level of ['workspace', 'channel', 'person', 'thread'] as const) {
      await store.change(place, level, to(level, level));
    }
    const all = {
      workspace: { values: { model: 'workspace' } },
      channel: { values: { model: 'channel' } },
      person: { values: { model: 'person' } },
      thread: { values: { model: 'thread' } },
    };
    await expect(store.layers(place)).resolves.toMatchObject(all);
    await expect(other.layers(place)).resolves.toEqual({ workspace: { values: {} } });
    consistency.length = 0;
    await expect(other.layers(place, { isFresh: true })).resolves.toMatchObject(all);
    expect(consistency).toEqual([true, true, true, true]);
    await store.change(place, 'channel', to('channel', 'newer'));
    await expect(other.layers(place)).resolves.toMatchObject(all);
    clock.now += 30_001;
    await expect(other.layers(place)).resolves.toMatchObject({ channel: { values: { model: 'newer' } } });
    const elsewhere = { ...place, channel: 'C2', user: 'U2', thread: { channel: 'C2', root: '2.2' } };
    const { channel, person, thread } = await other.layers(elsewhere);
    expect([channel, person, thread]).toEqual([{ values: {} }, { values: {} }, { values: {} }]);
  });

  test('are changed one after the other when two people change them concurrently', async () => {
    const { store, other, place } = set();
    const stored = await store.read(place, 'workspace');
    await other.change(place, 'workspace', { ...to('workspace', 'a'), by: 'U2' });
    const second = store.change(place, 'workspace', { ...to('workspace', 'b'), expected: stored.revision });
    await expect(second).rejects.toThrow(SettingConflictError);
    await expect(second.catch((error: unknown) => error)).resolves.toMatchObject({
      now: { layer: { values: { model: 'a' } }, log: [{ by: 'U2', setting: 'model', to: '"a"' }] },
    });
    await Promise.all(
      ['c', 'd', 'e'].map((model) => store.change(place, 'workspace', to('workspace', model))),
    );
    const { revision, log } = await store.read(place, 'workspace');
    expect(revision).toBe(4);
    expect(log.map((line) => line.to).toSorted()).toEqual(['"a"', '"c"', '"d"', '"e"']);
  });

  test('of a thread can be changed again after they have expired, before the table deletes them', async () => {
    const { store, place, clock } = set();
    await store.change(place, 'thread', to('thread', 'a'));
    await store.change(place, 'thread', to('thread', 'b'));
    clock.now += 401 * 86_400_000;
    await expect(store.read(place, 'thread')).resolves.toMatchObject({ revision: 0, layer: { values: {} } });
    await store.change(place, 'thread', { ...to('thread', 'c'), expected: 0 });
    const after = await store.read(place, 'thread');
    expect(after).toMatchObject({ revision: 1, layer: { values: { model: 'c' } }, log: [{ to: '"c"' }] });
    expect(after.log).toHaveLength(1);
    await store.change(place, 'thread', to('thread', 'd'));
    await expect(store.read(place, 'thread')).resolves.toMatchObject({ revision: 2 });
  });

  test('are never visible to another workspace', async () => {
    const [one, two] = [set(), set()];
    await one.store.change(one.place, 'workspace', to('workspace', 'a'));
    await one.store.change(one.place, 'person', to('person', 'a'));
    const { workspace, person } = await two.store.layers(two.place);
    expect([workspace, person]).toEqual([{ values: {} }, undefined]);
    const [mine, theirs] = [new Presets(one.config), new Presets(two.config)];
    await mine.save(one.place, 'persona', { name: 'pirate', text: 'Arr.', by: 'U1' }, undefined);
    await expect(theirs.list(two.place, 'persona')).resolves.toEqual([]);
    await expect(theirs.get(two.place, 'persona', 'pirate')).resolves.toBeUndefined();
    const discord = { platform: 'discord' as const, workspace: one.place.workspace };
    await expect(theirs.get(discord, 'persona', 'pirate')).resolves.toBeUndefined();
  });
});

test('a notice is claimed once in a workspace', async () => {
  const one = set();
  const choices = new SettingsStore(one.config);
  const claim = (name: string, place = one.place) => choices.claimNotice(place, name, 1_000);
  await expect(claim('retirement#a#1')).resolves.toBe(true);
  await expect(claim('retirement#a#1')).resolves.toBe(false);
  await expect(claim('retirement#a#2')).resolves.toBe(true);
  await expect(claim('retirement#a#1', { ...one.place, workspace: 'other' })).resolves.toBe(true);
});

describe('presets', () => {
  test('are saved, replaced, listed and removed', async () => {
    const { config, place } = set();
    const saved = new Presets(config);
    await saved.save(place, 'persona', { name: 'pirate', text: 'Arr.', by: 'U1' }, undefined);
    await saved.save(place, 'persona', { name: 'ärztin', text: 'Guten Tag.', by: 'U1' }, undefined);
    const first = await saved.read(place, 'persona', 'pirate');
    const second = await saved.save(place, 'persona', { name: 'pirate', text: 'Ahoy.', by: 'U2' }, first);
    // A decision based on the earlier value comes too late.
    const late = { name: 'pirate', text: 'Late.', by: 'U1' };
    await expect(saved.save(place, 'persona', late, first)).rejects.toThrow(PresetChangedError);
    await expect(saved.save(place, 'persona', late, undefined)).rejects.toThrow(PresetChangedError);
    await expect(saved.list(place, 'persona')).resolves.toMatchObject([
      { name: 'pirate', text: 'Ahoy.', by: 'U2' },
      { name: 'ärztin' },
    ]);
    await saved.remove(place, 'persona', 'pirate', second);
    await expect(saved.get(place, 'persona', 'pirate')).resolves.toBeUndefined();
    const names = () =>
      readPresetNames(
        () => config.dynamo.get({ TableName: config.table, Key: presetNamesKey(place, 'persona') }),
        config.table,
        place,
        'persona',
      );
    await expect(names()).resolves.toEqual(['ärztin']);
    const other = await saved.read(place, 'persona', 'ärztin');
    if (other) await saved.remove(place, 'persona', 'ärztin', other);
    await expect(names()).resolves.toEqual([]);
  });

  test.each([
    ['Space Pirate', 'space-pirate'],
    ['ÄRZTIN', 'ärztin'],
    ['a#b', undefined],
    ['値'.repeat(40), '値'.repeat(40)],
    ['値'.repeat(41), undefined],
    ['E\u0301lan', 'élan'],
    ['हिन्दी', 'हिन्दी'],
    ['a\uFE0F', undefined],
    ['\u0301a', undefined],
    ['', undefined],
    ['x'.repeat(41), undefined],
  ])('the name %j is kept as %j', (input, name) => {
    expect(parsePresetName(input)).toBe(name);
  });
});
