import type { Card, CardPart, Control, Option } from '../../conversation/index.ts';
import {
  type Audited,
  isOpen,
  type Layers,
  type SettingName,
  SETTINGS,
  type Written,
} from '../../settings/index.ts';
import { type Locale, LOCALES, say } from '../../texts/index.ts';
import type { StoredLevel } from '../../store/index.ts';
import type { Deps } from '../ports.ts';
import { placeOfCall, withSettings } from '../settings.ts';
import * as whom from './for-whom.ts';
import * as names from './names.ts';
import { type AnyCall, words } from './run.ts';
import {
  effectiveValue,
  SETTING_NAMES,
  settingFields,
  unsetValues,
  writtenValue,
} from './effective-settings.ts';
import { isNamed } from './naming.ts';
import { labelOf, valueLabel } from './setting-words.ts';
import { given, nameOf, typed, typingOf } from './typed.ts';

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
          { label: resetLabel(locale, name, level, deps), value: 'reset' },
          ...wordsOf(name, SETTINGS[name].written).map((value): Option => ({
            label: valueLabel(locale, name, value),
            value,
          })),
        ],
        chosen: writtenValue(layer.values[name]) || 'reset',
      }))
    : [];
  const written = mayChange(called, level) ? others(called, level, layers) : [];
  return {
    title: say(locale, `settings.level.${level}`),
    parts: [
      ...(await holding(called, level, deps)),
      ...(menus.length > 0 ? [{ kind: 'controls' as const, controls: [...menus, ...written] }] : []),
      { kind: 'controls', controls: ways(called, level) },
      { kind: 'note', markdown: howTo(called, deps) },
      ...lastChange(called, log),
    ],
  };
}

/** What taking a value back comes to: what the other levels say. */
function resetLabel(
  locale: Locale,
  name: SettingName,
  level: StoredLevel,
  deps: Pick<Deps, 'settings' | 'chat' | 'origin'>,
): string {
  const { layers } = deps.settings;
  const own = layers[level];
  const otherLayers = { ...layers, [level]: own && { ...own, values: { ...own.values, [name]: undefined } } };
  const found = effectiveValue(name, otherLayers, unsetValues(deps));
  if (!found) return say(locale, 'settings.reset');
  const value = valueLabel(locale, name, writtenValue(found.value));
  return say(locale, 'settings.reset-to', { value });
}

/** Whether there is such a place where this was called. */
export function isHere({ invocation: { channel, thread } }: AnyCall, level: StoredLevel): boolean {
  if (level === 'channel') return channel !== undefined;
  return level !== 'thread' || thread !== undefined;
}

/** One's own and those of a thread are everybody's to change, all others those of who administers. */
export const mayChange = ({ admin }: AnyCall, level: StoredLevel): boolean =>
  level === 'person' || level === 'thread' || admin;

/** What holds here, from where, and what is held and why; and what is left to the model. */
async function holding(called: AnyCall, level: StoredLevel, deps: Deps): Promise<CardPart[]> {
  const { locale } = called;
  const all = await settingFields(called, level, deps);
  const fields = all.map(({ name, text }) => ({ name: `${labelOf(locale, name)} (${name})`, value: text }));
  const people = all.flatMap((one) => one.people);
  const left = LEFT_TO_MODEL.filter((name) => all.every((one) => one.name !== name)).map(
    (name) => `\`${name}\``,
  );
  const note: CardPart[] =
    left.length > 0
      ? [{ kind: 'note', markdown: say(locale, 'settings.left', { names: left.join(', ') }) }]
      : [];
  return [{ kind: 'fields', fields, people }, ...note];
}

/** Where nobody says anything, the model does as it usually does. */
const LEFT_TO_MODEL = [
  'effort',
  'temperature',
  'topP',
  'frequencyPenalty',
  'presencePenalty',
  'topK',
  'minP',
  'repetitionPenalty',
  'maxTokens',
] as const satisfies readonly SettingName[];

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
