import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import {
  auditEntry,
  type SettingChange,
  applyChange,
  decideChange,
  type SettingsLayer,
  type SettingsLayers,
  type SettingLevel,
  SETTING_LEVELS,
  mayUse,
  readLayer,
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

/** Persons have a layer each. */
const at = (level: SettingLevel, of: string): string => (level === 'person' ? `person ${of}` : level);

describe('may this be changed?', () => {
  test.each([
    ['one’s own', set('person', 'model', 'a'), MEMBER, 'granted'],
    ['a thread’s', set('thread', 'model', 'a'), MEMBER, 'granted'],
    ['a channel’s by a member', set('channel', 'model', 'a'), MEMBER, 'not-admin'],
    ['a channel’s by an admin', set('channel', 'model', 'a'), ADMIN, 'granted'],
    ['the workspace’s by a member', set('workspace', 'model', 'a'), MEMBER, 'not-admin'],
    ['another person’s by a member', set('person', 'model', 'a'), { ...MEMBER, person: 'U1' }, 'not-yours'],
    ['another person’s by an admin', set('person', 'model', 'a'), { ...ADMIN, person: 'U2' }, 'not-yours'],
    ['the deployment’s', set('deployment', 'model', 'a'), ADMIN, 'deployment'],
    ['at a level without a say', set('thread', 'voice', 'off'), ADMIN, 'not-here'],
    ['something unknown', set('person', 'constructor', 'a'), ADMIN, 'unknown'],
    ['to a value that is none', set('person', 'temperature', 9), MEMBER, 'wrong'],
    ['taking back', set('person', 'temperature', undefined), MEMBER, 'granted'],
    ['a lock by a member', lock('thread', 'model'), MEMBER, 'not-admin'],
    ['a lock by an admin', lock('workspace', 'model'), ADMIN, 'granted'],
    [
      'a lock of one’s own, which would bind the channels one is in',
      lock('person', 'model'),
      ADMIN,
      'own-lock',
    ],
  ])('%s', (_, change, who, expected) => {
    const decision = decideChange(change, who, {});
    expect(decision.kind === 'granted' ? 'granted' : decision.why).toBe(expected);
  });

  test('what is locked is not changed at a stronger level, and the reason is told', () => {
    const layers: SettingsLayers = {
      workspace: { values: { model: 'a' }, locks: { model: { reason: 'costs' } } },
    };
    const refused = { kind: 'refused', why: 'locked', lock: { by: 'workspace', reason: 'costs' } };
    expect(decideChange(set('person', 'model', 'b'), MEMBER, layers)).toEqual(refused);
    expect(decideChange(set('channel', 'model', 'b'), ADMIN, layers)).toEqual(refused);
    expect(decideChange(set('workspace', 'model', 'b'), ADMIN, layers).kind).toBe('granted');
  });

  test('no sequence of changes changes what who makes them may not', () => {
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
      who: fc.record({ user: fc.constantFrom('U2', 'U3'), admin: fc.constant(false), person }),
      level: fc.constantFrom(...SETTING_LEVELS),
      setting: fc.constantFrom(...Object.keys(SETTINGS), 'nonsense', '__proto__'),
      value,
      locks: fc.boolean(),
    });
    const kept: Readonly<Record<string, SettingsLayer>> = {
      workspace: { values: { model: 'a', denied: ['U9'] }, locks: { reasoning: { reason: 'costs' } } },
      channel: { values: { voice: 'request' } },
      deployment: { values: { footer: true } },
    };
    fc.assert(
      fc.property(fc.array(attempt, { maxLength: 30 }), (attempts) => {
        const layers = new Map<string, SettingsLayer>(Object.entries(kept));
        const seen = (of: string): SettingsLayers =>
          Object.fromEntries(SETTING_LEVELS.map((level) => [level, layers.get(at(level, of))]));
        for (const { who, level, setting, value: to, locks } of attempts) {
          const change: SettingChange = locks
            ? { kind: 'lock', level, setting, lock: { reason: 'mine' } }
            : set(level, setting, to);
          const decision = decideChange(change, who, seen(who.person));
          if (decision.kind === 'refused') continue;
          const key = at(level, who.person);
          const before = layers.get(key) ?? { values: {} };
          layers.set(key, applyChange(before, decision.setting, change));
          // Only what is one's own, or the thread's.
          expect([`person ${who.user}`, 'thread']).toContain(key);
        }
        for (const [level, layer] of Object.entries(kept)) expect(layers.get(level)).toBe(layer);
        expect(layers.has('person U1')).toBe(false);
        expect(resolve('reasoning', seen('U2')).lock?.by).toBe('workspace');
        expect(resolve('reasoning', seen('U2')).value).toBeUndefined();
      }),
    );
  });

  test('the newest changes are remembered, with who made them', () => {
    let list = auditEntry([], set('person', 'model', 'x'.repeat(300)), 'U1', 1);
    expect(list[0]?.to).toBe(JSON.stringify(`${'x'.repeat(99)}…`));
    for (let time = 2; time < 70; time += 1) list = auditEntry(list, lock('workspace', 'model'), 'U2', time);
    expect(list).toHaveLength(50);
    expect(list[0]).toEqual({ at: 69, by: 'U2', setting: 'model', to: '{"lock":"costs"}' });
    const unlocked = { ...lock('workspace', 'model'), lock: undefined };
    expect(auditEntry([], unlocked, 'U2', 1)[0]?.to).toBe('{"lock":null}');
  });

  test('whatever a change is, what is kept of it is short, and JSON that can be read', () => {
    const value = fc.oneof(
      fc.string(),
      fc.boolean(),
      fc.double({ noNaN: true }),
      fc.array(fc.string({ maxLength: 60 })),
    );
    const change = fc.oneof(
      value.map((one) => ({ ...set('person', 'model', one) })),
      fc.option(fc.string({ maxLength: 200 }), { nil: undefined }).map((reason) => ({
        ...lock('workspace', 'model'),
        lock: reason === undefined ? undefined : { reason },
      })),
    );
    fc.assert(
      fc.property(change, (one) => {
        const { to = '' } = auditEntry([], one, 'U1', 1)[0] ?? {};
        const read: unknown = JSON.parse(to);
        expect(String(read).length).toBeLessThanOrEqual(120);
      }),
    );
  });
});

describe('who may use the bot', () => {
  const asker = { user: 'U2', roles: ['R1'], channel: 'C1', admin: false };
  test.each([
    ['everybody, where nothing is set', {}, undefined],
    ['those allowed', { workspace: { values: { allowed: ['U2'] } } }, undefined],
    ['those with a role that is allowed', { workspace: { values: { allowed: ['R1'] } } }, undefined],
    ['a role as Discord mentions it', { workspace: { values: { denied: ['&R1'] } } }, 'denied'],
    ['nobody else', { workspace: { values: { allowed: ['U3'] } } }, 'not-allowed'],
    [
      'a channel may allow others',
      { channel: { values: { allowed: ['U2'] } }, workspace: { values: { allowed: ['U3'] } } },
      undefined,
    ],
    [
      'not those denied, though they are allowed',
      { workspace: { values: { allowed: ['U2'], denied: ['R1'] } } },
      'denied',
    ],
    [
      'not those denied by the workspace, whatever the channel says',
      { channel: { values: { denied: ['U9'] } }, workspace: { values: { denied: ['U2'] } } },
      'denied',
    ],
    ['in the channels named', { workspace: { values: { channels: ['C1'] } } }, undefined],
    ['and no others', { workspace: { values: { channels: ['C2'] } } }, 'not-here'],
  ])('%s', (_, layers: SettingsLayers, expected) => {
    expect(mayUse(asker, layers)).toBe(expected);
    expect(mayUse({ ...asker, admin: true }, layers)).toBeUndefined();
  });
});

const taken = (tag: string): boolean =>
  decideChange(set('thread', 'language', tag), MEMBER, {}).kind === 'granted';

test('a language that is taken can be named: one that cannot would end every task of its place', () => {
  expect(['auto', 'de', 'pt-BR', 'zh-Hant-TW', 'yue'].every(taken)).toBe(true);
  expect(['en-aa-bb', 'de-1234-1234', 'en-latn-latn', 'english'].some(taken)).toBe(false);
  // What was stored before counts as not set.
  expect(readLayer({ language: 'en-aa-bb', footer: true })).toEqual({ footer: true });
  const names = new Intl.DisplayNames(['en'], { type: 'language' });
  const tags = fc.stringMatching(/^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,4}$/u).filter(taken);
  fc.assert(fc.property(tags, (tag) => names.of(tag) !== ''));
});
