import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import {
  addAuditEntry,
  type SettingChange,
  applyChange,
  authorizeChange,
  isChangeable,
  type SettingsLayer,
  type SettingsLayers,
  type SettingLevel,
  SETTING_LEVELS,
  parseSettingValues,
  resolve,
  SETTINGS,
  type SettingChanger,
} from '../../../shared/settings/rules/index.ts';

const ADMIN: SettingChanger = { user: 'U1', admin: true, person: 'U1' };
const MEMBER: SettingChanger = { user: 'U2', admin: false, person: 'U2' };
const set = (level: SettingLevel, setting: string, value: unknown): SettingChange => ({
  kind: 'value',
  level,
  setting,
  value,
});
const lock = (level: SettingLevel, setting: string): SettingChange => ({
  kind: 'lock',
  level,
  setting,
  lock: { reason: 'costs' },
});

/** Each person has a layer of their own. */
const getLayerKey = (level: SettingLevel, person: string): string =>
  level === 'person' ? `person ${person}` : level;

describe('authorizeChange', () => {
  test.each([
    ['grants a person’s own setting', set('person', 'model', 'a'), MEMBER, 'granted'],
    ['grants a thread’s setting', set('thread', 'model', 'a'), MEMBER, 'granted'],
    ['refuses a channel’s setting to a member', set('channel', 'model', 'a'), MEMBER, 'not-admin'],
    ['grants a channel’s setting to an admin', set('channel', 'model', 'a'), ADMIN, 'granted'],
    ['refuses the workspace’s setting to a member', set('workspace', 'model', 'a'), MEMBER, 'not-admin'],
    [
      'refuses another person’s setting to a member',
      set('person', 'model', 'a'),
      { ...MEMBER, person: 'U1' },
      'not-yours',
    ],
    [
      'refuses another person’s setting to an admin',
      set('person', 'model', 'a'),
      { ...ADMIN, person: 'U2' },
      'not-yours',
    ],
    ['refuses a deployment setting', set('deployment', 'model', 'a'), ADMIN, 'deployment'],
    ['refuses a level at which the setting does not exist', set('thread', 'voice', 'off'), ADMIN, 'not-here'],
    ['refuses an unknown setting', set('person', 'constructor', 'a'), ADMIN, 'unknown'],
    ['refuses an invalid value', set('person', 'temperature', 9), MEMBER, 'wrong'],
    ['grants the removal of a value', set('person', 'temperature', undefined), MEMBER, 'granted'],
    ['refuses a lock to a member', lock('thread', 'model'), MEMBER, 'not-admin'],
    ['grants a lock to an admin', lock('workspace', 'model'), ADMIN, 'granted'],
    ['refuses a personal lock, which would apply to channels', lock('person', 'model'), ADMIN, 'own-lock'],
  ])('%s', (_, change, changer, expected) => {
    const decision = authorizeChange(change, changer, {});
    expect(decision.kind === 'granted' ? 'granted' : decision.why).toBe(expected);
  });

  test('refuses changes at levels stronger than a lock, with its reason', () => {
    const layers: SettingsLayers = {
      workspace: { values: { model: 'a' }, locks: { model: { reason: 'costs' } } },
    };
    const refusal = { kind: 'refused', why: 'locked', lock: { by: 'workspace', reason: 'costs' } };
    expect(authorizeChange(set('person', 'model', 'b'), MEMBER, layers)).toEqual(refusal);
    expect(authorizeChange(set('channel', 'model', 'b'), ADMIN, layers)).toEqual(refusal);
    expect(authorizeChange(set('workspace', 'model', 'b'), ADMIN, layers).kind).toBe('granted');
  });

  test('a lock of a thread binds everybody but administrators, and hides its menus from them', () => {
    const layers: SettingsLayers = {
      thread: { values: { model: 'a' }, locks: { model: { reason: 'agreed' } } },
    };
    const change = set('thread', 'model', 'b');
    expect(authorizeChange(change, MEMBER, layers)).toEqual({
      kind: 'refused',
      why: 'locked',
      lock: { by: 'thread', reason: 'agreed' },
    });
    expect(authorizeChange(change, ADMIN, layers).kind).toBe('granted');
    expect([true, false].map((admin) => isChangeable('model', { level: 'thread', admin }, layers))).toEqual([
      true,
      false,
    ]);
    // It says nothing about other threads.
    expect(authorizeChange(set('person', 'model', 'b'), MEMBER, layers).kind).toBe('granted');
  });

  test('no sequence of changes by members changes more than their own settings and the thread’s', () => {
    const person = fc.constantFrom('U1', 'U2', 'U3');
    const value = fc.constantFrom<unknown>(
      'a',
      'off',
      'auto',
      true,
      1,
      'all',
      ['U2'],
      undefined,
      {},
      'request',
    );
    const attempt = fc.record({
      changer: fc.record({ user: fc.constantFrom('U2', 'U3'), admin: fc.constant(false), person }),
      level: fc.constantFrom(...SETTING_LEVELS),
      setting: fc.constantFrom(...Object.keys(SETTINGS), 'nonsense', '__proto__'),
      value,
      locks: fc.boolean(),
    });
    const initial: Readonly<Record<string, SettingsLayer>> = {
      workspace: { values: { model: 'a', denied: ['U9'] }, locks: { reasoning: { reason: 'costs' } } },
      channel: { values: { voice: 'request' } },
      deployment: { values: { footer: true } },
    };
    fc.assert(
      fc.property(fc.array(attempt, { maxLength: 30 }), (attempts) => {
        const layers = new Map<string, SettingsLayer>(Object.entries(initial));
        const layersOf = (user: string): SettingsLayers =>
          Object.fromEntries(SETTING_LEVELS.map((level) => [level, layers.get(getLayerKey(level, user))]));
        for (const { changer, level, setting, value: newValue, locks } of attempts) {
          const change: SettingChange = locks
            ? { kind: 'lock', level, setting, lock: { reason: 'mine' } }
            : set(level, setting, newValue);
          const decision = authorizeChange(change, changer, layersOf(changer.person));
          if (decision.kind === 'refused') continue;
          const key = getLayerKey(level, changer.person);
          const before = layers.get(key) ?? { values: {} };
          layers.set(key, applyChange(before, decision.setting, change));
          expect([`person ${changer.user}`, 'thread']).toContain(key);
        }
        for (const [level, layer] of Object.entries(initial)) expect(layers.get(level)).toBe(layer);
        expect(layers.has('person U1')).toBe(false);
        expect(resolve('reasoning', layersOf('U2')).lock?.by).toBe('workspace');
        expect(resolve('reasoning', layersOf('U2')).value).toBeUndefined();
      }),
    );
  });

  test('the audit log keeps the newest 50 changes and their authors', () => {
    let log = addAuditEntry([], set('person', 'model', 'x'.repeat(300)), 'U1', 1);
    expect(log[0]?.to).toBe(JSON.stringify(`${'x'.repeat(99)}…`));
    for (let time = 2; time < 70; time += 1) log = addAuditEntry(log, lock('workspace', 'model'), 'U2', time);
    expect(log).toHaveLength(50);
    expect(log[0]).toEqual({ at: 69, by: 'U2', setting: 'model', to: '{"lock":"costs"}' });
    const unlocked = { ...lock('workspace', 'model'), lock: undefined };
    expect(addAuditEntry([], unlocked, 'U2', 1)[0]?.to).toBe('{"lock":null}');
    const emoji = set('person', 'model', `${'x'.repeat(98)}👍👍`);
    expect(addAuditEntry([], emoji, 'U1', 1)[0]?.to).toBe(JSON.stringify(`${'x'.repeat(98)}…`));
  });

  test('the audit log stores any change as short, valid JSON', () => {
    const value = fc.oneof(
      fc.string(),
      fc.boolean(),
      fc.double({ noNaN: true }),
      fc.array(fc.string({ maxLength: 60 })),
    );
    const change = fc.oneof(
      value.map((newValue) => ({ ...set('person', 'model', newValue) })),
      fc.option(fc.string({ maxLength: 200 }), { nil: undefined }).map((reason) => ({
        ...lock('workspace', 'model'),
        lock: reason === undefined ? undefined : { reason },
      })),
    );
    fc.assert(
      fc.property(change, (random) => {
        const { to = '' } = addAuditEntry([], random, 'U1', 1)[0] ?? {};
        const parsed: unknown = JSON.parse(to);
        expect(String(parsed).length).toBeLessThanOrEqual(120);
      }),
    );
  });
});

const isAccepted = (tag: string): boolean =>
  authorizeChange(set('thread', 'language', tag), MEMBER, {}).kind === 'granted';

test('every accepted language tag has a name: for other tags `Intl` would throw in every task', () => {
  expect(['auto', 'de', 'pt-BR', 'zh-Hant-TW', 'yue'].every(isAccepted)).toBe(true);
  expect(['en-aa-bb', 'de-1234-1234', 'en-latn-latn', 'english'].some(isAccepted)).toBe(false);
  // A tag that an earlier version stored counts as not set.
  expect(parseSettingValues({ language: 'en-aa-bb', footer: true })).toEqual({ footer: true });
  const names = new Intl.DisplayNames(['en'], { type: 'language' });
  const tags = fc.stringMatching(/^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,4}$/u).filter(isAccepted);
  fc.assert(fc.property(tags, (tag) => names.of(tag) !== ''));
});
