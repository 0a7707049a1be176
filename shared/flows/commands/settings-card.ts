import type { Card, CardPart, Control, Option } from '../../conversation/index.ts';
import {
  type Audited,
  isOpen,
  type Layers,
  resolve,
  type SettingName,
  SETTINGS,
  type Written,
} from '../../settings/index.ts';
import { LOCALES, say } from '../../texts/index.ts';
import type { StoredLevel } from '../../store/index.ts';
import type { Deps } from '../ports.ts';
import { placeOfCall, withSettings } from '../settings.ts';
import * as whom from './for-whom.ts';
import * as names from './names.ts';
import { type AnyCall, words } from './run.ts';
import { isNamed, naming } from './naming.ts';
import { labelOf, valueLabel } from './setting-words.ts';
import { given, nameOf, typed, typingOf } from './typed.ts';

const SETTING_NAMES = Object.keys(SETTINGS).filter((name): name is SettingName => name in SETTINGS);

/** The deps with settings as they are at this moment, for showing what was just changed. */
export const refreshed = (called: AnyCall, deps: Deps): Promise<Deps> =>
  withSettings(placeOfCall(called.invocation), deps);

/** What is set at a level, what holds there, and menus to change it with. */
export async function settingsCard(called: AnyCall, level: StoredLevel, asGiven: Deps): Promise<Card> {
  const { locale, invocation } = called;
  if (!isHere(called, level)) return words(say(locale, 'settings.no.nowhere'), 'bad');
  const deps = await refreshed(called, asGiven);
  const { layer, revision, log } = await deps.choices.read(placeOfCall(invocation), level);
  const { layers } = deps.settings;
  const menus = mayChange(called, level)
    ? SETTING_NAMES.filter((name) => isOffered(name, level, layers)).map((name): Control => ({
        kind: 'choice',
        label: labelOf(locale, name),
        action: { name: 'settings.set', args: [level, name, String(revision)] },
        options: [
          { label: say(locale, 'settings.reset'), value: 'reset' },
          ...wordsOf(name, SETTINGS[name].written).map((value): Option => ({
            label: valueLabel(locale, name, value),
            value,
          })),
        ],
        chosen: shown(layer.values[name]) || 'reset',
      }))
    : [];
  const written = mayChange(called, level) ? others(called, level, layers) : [];
  return {
    title: say(locale, `settings.level.${level}`),
    parts: [
      ...holding(called, layers),
      ...(menus.length > 0 ? [{ kind: 'controls' as const, controls: [...menus, ...written] }] : []),
      { kind: 'controls', controls: ways(called, level) },
      { kind: 'note', markdown: howTo(called, deps) },
      ...lastChange(called, log),
    ],
  };
}

/** Whether there is such a place where this was called. */
export function isHere({ invocation: { channel, thread } }: AnyCall, level: StoredLevel): boolean {
  if (level === 'channel') return channel !== undefined;
  return level !== 'thread' || thread !== undefined;
}

/** One's own and those of a thread are everybody's to change, all others those of who administers. */
export const mayChange = ({ admin }: AnyCall, level: StoredLevel): boolean =>
  level === 'person' || level === 'thread' || admin;

/** What holds here, from where, and what is held and why. */
function holding({ locale, invocation }: AnyCall, layers: Layers): CardPart[] {
  const people: string[] = [];
  const told = (name: SettingName, value: unknown): string => {
    if (!isNamed(name) || !Array.isArray(value)) return valueLabel(locale, name, shown(value));
    const named = naming(invocation.platform, name, value.map(String));
    people.push(...named.people);
    return named.text;
  };
  const fields = SETTING_NAMES.flatMap((name) => {
    const { value, from, lock } = resolve(name, layers);
    if (value === undefined && !lock) return [];
    const origin = from ? ` (${say(locale, `settings.from.${from}`)})` : '';
    const held = lock ? ` 🔒 ${lock.reason}`.trimEnd() : '';
    const said = told(name, value) || '–';
    return [{ name: `${labelOf(locale, name)} (${name})`, value: `${said}${origin}${held}` }];
  });
  return fields.length > 0 ? [{ kind: 'fields', fields, people }] : [];
}

/** A menu is offered for what has few values, unless another level holds it. */
const isOffered = (name: SettingName, level: StoredLevel, layers: Layers): boolean =>
  isOpen(name, level, layers) && wordsOf(name, SETTINGS[name].written).length > 0;

/** One menu for all that is written: each opens a form. Whoever is named there has to be mentioned, which a form cannot. */
function others({ locale }: AnyCall, level: StoredLevel, layers: Layers): Control[] {
  const left = SETTING_NAMES.filter(
    (name) => isOpen(name, level, layers) && !isOffered(name, level, layers) && !isNamed(name),
  );
  const label = say(locale, 'settings.more');
  const options = left.map((name) => ({ label: labelOf(locale, name), value: name, hint: name }));
  return [{ kind: 'choice', label, action: { name: 'settings.set-form', args: [level] }, options }];
}

/** The words that a menu offers for a setting; none for what is written. */
function wordsOf(name: SettingName, written: Written): readonly string[] {
  if (written === 'yes-no') return ['yes', 'no'];
  if (written === 'language') return [...(name === 'voiceLanguage' ? ['none'] : []), 'auto', ...LOCALES];
  return typeof written === 'string' ? [] : written;
}

/** To the other levels and the other sections, each to who may see it. */
function ways(called: AnyCall, level: StoredLevel): Control[] {
  const { locale, admin } = called;
  const levels = (['person', 'thread', 'channel', 'workspace'] as const).filter(
    (one) => one !== level && isHere(called, one) && mayChange(called, one),
  );
  const sections = ['usage', 'jobs', ...(admin ? (['spent'] as const) : [])] as const;
  const button = (
    name: string,
    key: (typeof levels)[number] | (typeof sections)[number] | 'models',
  ): Control => ({
    kind: 'button',
    label: say(locale, `settings.show.${key}`),
    action: { name, args: [key] },
  });
  const changes: Control = {
    kind: 'button',
    label: say(locale, 'settings.log.show'),
    action: { name: 'settings.log', args: [level] },
  };
  return [
    ...levels.map((one) => button('settings.show', one)),
    button('model.show', 'models'),
    ...sections.map((one) => button('home.show', one)),
    ...(mayChange(called, level) ? [changes] : []),
  ];
}

function lastChange({ locale }: AnyCall, [last]: readonly Audited[]): CardPart[] {
  // Who was forgotten is not named any more.
  if (!last || last.by === '') return [];
  const { by: user, setting } = last;
  return [
    { kind: 'note', markdown: say(locale, 'settings.changed-last', { user, setting }), people: [user] },
  ];
}

/** A value as people write it. */
export function shown(value: unknown): string {
  if (value === true) return 'yes';
  if (value === false) return 'no';
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** How every setting is set, also those that have no menu. */
function howTo({ invocation, locale }: AnyCall, { settings }: Pick<Deps, 'settings'>): string {
  const where = typingOf(invocation);
  const option = [names.name, names.value].map((name) => nameOf(name, where));
  return say(locale, 'settings.how', {
    command: typed(names.settings, where, settings, ...option),
    channel: given(names.forWhom, 'channel', where, whom.channel),
    workspace: given(names.forWhom, 'workspace', where, whom.workspace),
  });
}
