import { namedAs } from '../../conversation/index.ts';
import {
  DEFAULT_VALUES,
  type Layers,
  type Level,
  resolve,
  resolveAll,
  type Resolved,
  type SettingName,
  SETTINGS,
  type Values,
} from '../../settings/index.ts';
import type { StoredLevel } from '../../store/index.ts';
import { type Locale, say } from '../../texts/index.ts';
import type { Deps } from '../ports.ts';
import { placeOfCall } from '../settings.ts';
import { isNamed, type Named, naming } from './naming.ts';
import type { AnyCall } from './run.ts';
import { valueLabel } from './setting-words.ts';

export const SETTING_NAMES = Object.keys(SETTINGS).filter((name): name is SettingName => name in SETTINGS);

/** What holds of a setting, wherever it comes from: a level at which it was set, the deployment, or the bot itself. */
export type Effective = {
  readonly value: unknown;
  readonly origin: Level | 'default';
};

/** What the deployment and the bot say where no level does. */
export function unsetValues(deps: Pick<Deps, 'settings' | 'chat' | 'origin'>): {
  readonly deployment: Values;
  readonly bot: Values;
} {
  // Of the deployment: those of a task hold what was set over them.
  const { settings, chat } = deps.origin ?? deps;
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
  layers: Layers,
  { deployment, bot }: ReturnType<typeof unsetValues>,
): Effective | undefined {
  const { value, from } = resolve(name, layers);
  if (from) return { value, origin: from };
  if (deployment[name] !== undefined) return { value: deployment[name], origin: 'deployment' };
  return bot[name] === undefined ? undefined : { value: bot[name], origin: 'default' };
}

/** One setting on a card: its value, where that comes from, and who holds it there. */
export type SettingField = Named & { readonly name: SettingName };

/** All that is shown of settings: those that are set or held somewhere, and those in which this level has a say. */
export async function settingFields(
  called: AnyCall,
  level: StoredLevel,
  deps: Pick<Deps, 'settings' | 'chat' | 'origin' | 'choices'>,
): Promise<SettingField[]> {
  const { locale } = called;
  const { layers } = deps.settings;
  const unset = unsetValues(deps);
  const lockers = await lockersOf(called, layers, deps);
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
  { locale, invocation }: AnyCall,
  name: SettingName,
  effective: Effective | undefined,
): Named {
  if (!effective) return { text: '–', people: [] };
  const { value, origin } = effective;
  const named =
    isNamed(name) && Array.isArray(value)
      ? naming(invocation.platform, name, value.map(String))
      : { text: valueLabel(locale, name, writtenValue(value)), people: [] };
  return { text: `${named.text || '–'} (${say(locale, `settings.from.${origin}`)})`, people: named.people };
}

/** The instructions of all levels, which hold together. */
function instructionsText(layers: Layers, locale: Locale): Named {
  const set = resolveAll('instructions', layers).map(
    ({ level, value }) => `“${cut(value)}” (${say(locale, `settings.from.${level}`)})`,
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

function lockText({ lock }: Resolved<SettingName>, user: string | undefined, locale: Locale): Named {
  if (!lock) return { text: '', people: [] };
  const level = say(locale, `settings.from.${lock.by}`);
  const by = user === undefined ? level : `${level}, ${namedAs(user)}`;
  const locked = say(locale, 'settings.locked', { by });
  const text = lock.reason === '' ? ` 🔒 ${locked}` : ` 🔒 ${lock.reason} (${locked})`;
  return { text, people: user === undefined ? [] : [user] };
}

/** Who locked a setting, as far as the lists of changes still say: one read for each level that locks something. */
async function lockersOf(
  { invocation }: AnyCall,
  layers: Layers,
  { choices }: Pick<Deps, 'choices'>,
): Promise<ReadonlyMap<SettingName, string>> {
  const locked = SETTING_NAMES.flatMap((name) => {
    const by = resolve(name, layers).lock?.by;
    return by === undefined || by === 'deployment' ? [] : [{ name, by }];
  });
  const levels = [...new Set(locked.map(({ by }) => by))];
  const logs = new Map(
    await Promise.all(
      levels.map(async (by) => [by, (await choices.read(placeOfCall(invocation), by)).log] as const),
    ),
  );
  return new Map(
    locked.flatMap(({ name, by }) => {
      const change = logs.get(by)?.find(({ setting, to }) => setting === name && to.startsWith('{"lock"'));
      return change && change.by !== '' ? [[name, change.by] as const] : [];
    }),
  );
}
