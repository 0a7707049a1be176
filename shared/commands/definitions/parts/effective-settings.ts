import type { CommandsContext } from '../../context.ts';
import { formatMention } from '../../../domain/index.ts';
import {
  DEFAULT_VALUES,
  type SettingsLayers,
  type SettingLevel,
  resolve,
  resolveAll,
  type ResolvedSetting,
  type SettingName,
  SETTINGS,
  type SettingValues,
} from '../../../settings/rules/index.ts';
import { getInteractionSettingsPlace, getValueLabel } from '../../../settings/index.ts';
import type { StoredLevel } from '../../../storage/index.ts';
import { type Locale, localize } from '../../../i18n/index.ts';
import { isNamedPerson, type NamedPeople, mentionText } from '../../arguments/format-mentions.ts';
import type { AnyPayload } from '../../framework/types.ts';

export const SETTING_NAMES = Object.keys(SETTINGS).filter((name): name is SettingName => name in SETTINGS);

/** What holds of a setting, wherever it comes from: a level at which it was set, the deployment, or the bot itself. */
export type EffectiveSetting = {
  readonly value: unknown;
  readonly origin: SettingLevel | 'default';
};

/** What the deployment and the bot say where no level does. */
export function unsetValues({ deployment }: Pick<CommandsContext, 'deployment'>): {
  readonly deployment: SettingValues;
  readonly bot: SettingValues;
} {
  // Of the deployment: those of a task hold what was set over them.
  const { settings, chat } = deployment;
  const { standIns, reasoning, followUpModel, keptDays } = settings;
  return {
    deployment: {
      model: chat.model,
      standIns: standIns.length > 0 ? standIns : undefined,
      reasoning,
      suggestions: followUpModel === undefined ? undefined : true,
      retentionDays: keptDays,
    },
    bot: DEFAULT_VALUES,
  };
}

/** What holds of a setting; undefined where that is left to the model, or is nothing. */
export function effectiveValue(
  name: SettingName,
  layers: SettingsLayers,
  { deployment, bot }: ReturnType<typeof unsetValues>,
): EffectiveSetting | undefined {
  const { value, from } = resolve(name, layers);
  if (from) return { value, origin: from };
  if (deployment[name] !== undefined) return { value: deployment[name], origin: 'deployment' };
  return bot[name] === undefined ? undefined : { value: bot[name], origin: 'default' };
}

/** One setting on a card: its value, where that comes from, and who holds it there. */
export type SettingField = NamedPeople & { readonly name: SettingName };

/** All that is shown of settings: those that are set or held somewhere, and those in which this level has a say. */
export async function settingFields(
  called: AnyPayload,
  level: StoredLevel,
  context: Pick<CommandsContext, 'settings' | 'deployment' | 'settingsStore'>,
): Promise<SettingField[]> {
  const { locale } = called;
  const { layers } = context.settings;
  const unset = unsetValues(context);
  const lockers = await lockersOf(called, layers, context);
  return SETTING_NAMES.flatMap((name): SettingField[] => {
    const resolved = resolve(name, layers);
    const effective = effectiveValue(name, layers, unset);
    const concerns = SETTINGS[name].levels.some((one) => one === level);
    if (!resolved.lock && (!effective || (effective.origin === 'default' && !concerns))) return [];
    const value =
      name === 'instructions' ? instructionsText(layers, locale) : valueText(called, name, effective);
    const lock = lockText(resolved, lockers.get(name), locale);
    return [{ name, text: `${value.text}${lock.text}`, people: [...value.people, ...lock.people] }];
  });
}

function valueText(
  { locale, invocation }: AnyPayload,
  name: SettingName,
  effective: EffectiveSetting | undefined,
): NamedPeople {
  if (!effective) return { text: '–', people: [] };
  const { value, origin } = effective;
  const named =
    isNamedPerson(name) && Array.isArray(value)
      ? mentionText(invocation.platform, name, value.map(String))
      : { text: getValueLabel(locale, name, writtenValue(value)), people: [] };
  return {
    text: `${named.text || '–'} (${localize(locale, `settings.from.${origin}`)})`,
    people: named.people,
  };
}

/** The instructions of all levels, which hold together. */
function instructionsText(layers: SettingsLayers, locale: Locale): NamedPeople {
  const set = resolveAll('instructions', layers).map(
    ({ level, value }) => `“${cut(value)}” (${localize(locale, `settings.from.${level}`)})`,
  );
  return { text: set.join('; ') || '–', people: [] };
}

const MAX_SHOWN_CHARACTERS = 150;
const cut = (text: string): string =>
  text.length <= MAX_SHOWN_CHARACTERS ? text : `${text.slice(0, MAX_SHOWN_CHARACTERS - 1).toWellFormed()}…`;

/** A value as people write it. */
export function writtenValue(value: unknown): string {
  if (value === true) return 'yes';
  if (value === false) return 'no';
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function lockText(
  { lock }: ResolvedSetting<SettingName>,
  user: string | undefined,
  locale: Locale,
): NamedPeople {
  if (!lock) return { text: '', people: [] };
  const level = localize(locale, `settings.from.${lock.by}`);
  const by = user === undefined ? level : `${level}, ${formatMention(user)}`;
  const locked = localize(locale, 'settings.locked', { by });
  const text = lock.reason === '' ? ` 🔒 ${locked}` : ` 🔒 ${lock.reason} (${locked})`;
  return { text, people: user === undefined ? [] : [user] };
}

/** Who locked a setting, as far as the lists of changes still say: one read for each level that locks something. */
async function lockersOf(
  { invocation }: AnyPayload,
  layers: SettingsLayers,
  { settingsStore: choices }: Pick<CommandsContext, 'settingsStore'>,
): Promise<ReadonlyMap<SettingName, string>> {
  const locked = SETTING_NAMES.flatMap((name) => {
    const by = resolve(name, layers).lock?.by;
    return by === undefined || by === 'deployment' ? [] : [{ name, by }];
  });
  const levels = [...new Set(locked.map(({ by }) => by))];
  const logs = new Map(
    await Promise.all(
      levels.map(
        async (by) => [by, (await choices.read(getInteractionSettingsPlace(invocation), by)).log] as const,
      ),
    ),
  );
  return new Map(
    locked.flatMap(({ name, by }) => {
      const change = logs.get(by)?.find(({ setting, to }) => setting === name && to.startsWith('{"lock"'));
      return change && change.by !== '' ? [[name, change.by] as const] : [];
    }),
  );
}
