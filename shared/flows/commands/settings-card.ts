import type { Card, Control, Option } from '../../conversation/index.ts';
import { resolve, type SettingName, SETTINGS } from '../../settings/index.ts';
import { say } from '../../texts/index.ts';
import type { StoredLevel } from '../../store/index.ts';
import type { Deps } from '../ports.ts';
import { placeOfCall, withSettings } from '../settings.ts';
import type { AnyCall } from './run.ts';

/** Settings that are chosen from a few values, and those values. All others are written. */
const CHOICES: readonly { readonly name: SettingName; readonly values: readonly string[] }[] = [
  { name: 'reasoning', values: ['off', 'brief', 'full', 'file'] },
  { name: 'effort', values: ['none', 'minimal', 'low', 'medium', 'high'] },
  { name: 'language', values: ['auto', 'en', 'de', 'fr', 'es', 'pt', 'ja', 'ko', 'zh'] },
  { name: 'footer', values: ['yes', 'no'] },
  { name: 'suggestions', values: ['yes', 'no'] },
  { name: 'mentions', values: ['only', 'threads', 'free', 'off'] },
  { name: 'voice', values: ['off', 'request', 'automatic'] },
  { name: 'voiceOptOut', values: ['yes', 'no'] },
  { name: 'voiceLanguage', values: ['none', 'auto', 'en', 'de', 'fr', 'es', 'pt', 'ja', 'ko', 'zh'] },
  { name: 'voiceSummary', values: ['yes', 'no'] },
  { name: 'video', values: ['off', 'admins', 'all'] },
];

/** The deps with settings as they are at this moment, for showing what was just changed. */
export const refreshed = (called: AnyCall, deps: Deps): Promise<Deps> =>
  withSettings(placeOfCall(called.invocation), deps);

/** What is set at a level, what holds there, and menus to change it with. */
export async function settingsCard(called: AnyCall, level: StoredLevel, given: Deps): Promise<Card> {
  const { locale, invocation, call, admin } = called;
  const deps = await refreshed(called, given);
  const place = placeOfCall(invocation);
  const here = (level !== 'channel' || place.channel) && (level !== 'thread' || place.thread);
  if (!here) return { tone: 'bad', parts: [{ kind: 'text', markdown: say(locale, 'settings.no.nowhere') }] };
  const { layer, revision, log } = await deps.choices.read(place, level);
  const { layers } = deps.settings;
  const fields = Object.keys(SETTINGS)
    .filter((name): name is SettingName => name in SETTINGS)
    .flatMap((name) => {
      const { value, from, lock } = resolve(name, layers);
      if (value === undefined || !from) return [];
      const held = lock ? ` 🔒 ${lock.reason}` : '';
      return [{ name, value: `${shown(value)} (${say(locale, `settings.from.${from}`)})${held}` }];
    });
  const mayHere = level === 'person' || level === 'thread' || admin;
  const menus = CHOICES.filter(({ name }) => SETTINGS[name].levels.some((one) => one === level)).map(
    ({ name, values }): Control => ({
      kind: 'choice',
      label: name,
      action: { name: 'settings.set', args: [level, name, String(revision)] },
      options: [{ label: say(locale, 'settings.reset'), value: 'reset' }, ...values.map(asOption)],
      chosen: shown(layer.values[name]) || 'reset',
    }),
  );
  const command =
    call.kind === 'command' && invocation.platform === 'slack' ? `${call.name} settings` : '/settings';
  const [last] = log;
  const { user = '', setting = '' } = last ? { user: last.by, setting: last.setting } : {};
  return {
    title: say(locale, `settings.level.${level}`),
    parts: [
      ...(fields.length > 0 ? [{ kind: 'fields' as const, fields }] : []),
      ...(mayHere && menus.length > 0 ? [{ kind: 'controls' as const, controls: menus }] : []),
      ...(admin ? [{ kind: 'controls' as const, controls: ways(called, level) }] : []),
      { kind: 'note', markdown: say(locale, 'settings.how', { command }) },
      ...(last
        ? [{ kind: 'note' as const, markdown: say(locale, 'settings.changed-last', { user, setting }) }]
        : []),
    ],
  };
}

/** To the other levels, for those who administer the workspace. */
function ways({ locale }: AnyCall, level: StoredLevel): Control[] {
  const to: StoredLevel = level === 'person' ? 'workspace' : 'person';
  const label = say(locale, level === 'person' ? 'settings.button.workspace' : 'settings.button.me');
  return [{ kind: 'button', label, action: { name: 'settings.show', args: [to] } }];
}

const asOption = (value: string): Option => ({ label: value, value });

/** A value as people write it. */
function shown(value: unknown): string {
  if (value === true) return 'yes';
  if (value === false) return 'no';
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
