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
import { getInteractionSettingsPlace, getValueLabel, wordForLevel } from '../../../settings/index.ts';
import type { StoredLevel } from '../../../storage/index.ts';
import { localize } from '../../../i18n/index.ts';
import { truncateText } from '../../../utils/index.ts';
import { isIdList, type TextWithPeople, formatMentions } from '../../arguments/format-mentions.ts';
import type { InteractionRequest } from '../../framework/types.ts';

export const SETTING_NAMES = Object.keys(SETTINGS).filter((name): name is SettingName => name in SETTINGS);

/** The effective value of a setting and its origin: a level, the deployment's configuration, or the bot's default. */
export type EffectiveSetting = {
  readonly value: unknown;
  readonly origin: SettingLevel | 'default';
};

/** Returns the values that apply if no level sets one: those of the deployment's configuration, and the bot's defaults. */
export function getDefaults({ deployment }: Pick<CommandsContext, 'deployment'>): {
  readonly deployment: SettingValues;
  readonly bot: SettingValues;
} {
  // Not `context.settings`: those already contain people's settings.
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

/** Returns the effective value; undefined if there is none, or the model decides. */
export function getEffectiveSetting(
  name: SettingName,
  layers: SettingsLayers,
  { deployment, bot }: ReturnType<typeof getDefaults>,
): EffectiveSetting | undefined {
  const { value, from } = resolve(name, layers);
  if (from) return { value, origin: from };
  if (deployment[name] !== undefined) return { value: deployment[name], origin: 'deployment' };
  return bot[name] === undefined ? undefined : { value: bot[name], origin: 'default' };
}

/** A setting on a card: its value, origin and lock. */
export type SettingField = TextWithPeople & { readonly name: SettingName };

/** Lists the settings to show: those that are set or locked, and those that exist at this level. */
export async function listSettingFields(
  request: InteractionRequest,
  level: StoredLevel,
  context: Pick<CommandsContext, 'settings' | 'deployment' | 'settingsStore'>,
): Promise<SettingField[]> {
  const { layers } = context.settings;
  const unset = getDefaults(context);
  const lockers = await findLockAuthors(request, layers, context);
  return SETTING_NAMES.flatMap((name): SettingField[] => {
    const resolved = resolve(name, layers);
    const effective = getEffectiveSetting(name, layers, unset);
    const canBeSet = SETTINGS[name].levels.some((one) => one === level);
    if (!resolved.lock && (!effective || (effective.origin === 'default' && !canBeSet))) return [];
    const value =
      name === 'instructions'
        ? formatAllInstructions(request, layers)
        : formatEffectiveValue(request, name, effective);
    const lock = formatLock(request, resolved, lockers.get(name));
    return [{ name, text: `${value.text}${lock.text}`, people: [...value.people, ...lock.people] }];
  });
}

function formatEffectiveValue(
  { locale, interaction }: InteractionRequest,
  name: SettingName,
  effective: EffectiveSetting | undefined,
): TextWithPeople {
  if (!effective) return { text: '–', people: [] };
  const { value, origin } = effective;
  const named =
    isIdList(name) && Array.isArray(value)
      ? formatMentions(interaction.platform, name, value.map(String))
      : { text: getValueLabel(locale, name, formatValue(value)), people: [] };
  return {
    text: `${named.text || '–'} (${formatLevel({ locale, interaction }, origin)})`,
    people: named.people,
  };
}

/** Formats the instructions of all levels, which add up. */
function formatAllInstructions(request: InteractionRequest, layers: SettingsLayers): TextWithPeople {
  const set = resolveAll('instructions', layers).map(
    ({ level, value }) => `“${shortenText(value)}” (${formatLevel(request, level)})`,
  );
  return { text: set.join('; ') || '–', people: [] };
}

const MAX_SHOWN_CHARACTERS = 150;
const shortenText = (text: string): string => truncateText(text, MAX_SHOWN_CHARACTERS);

/** Formats a value as people type it. */
export function formatValue(value: unknown): string {
  if (value === true) return 'yes';
  if (value === false) return 'no';
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Names the level of a setting. */
const formatLevel = (
  { locale, interaction }: Pick<InteractionRequest, 'locale' | 'interaction'>,
  level: SettingLevel | 'default',
): string => localize(locale, `settings.from.${wordForLevel(level, interaction.platform)}`);

function formatLock(
  request: InteractionRequest,
  { lock }: ResolvedSetting<SettingName>,
  user: string | undefined,
): TextWithPeople {
  const { locale } = request;
  if (!lock) return { text: '', people: [] };
  const level = formatLevel(request, lock.by);
  const by = user === undefined ? level : `${level}, ${formatMention(user)}`;
  const locked = localize(locale, 'settings.locked', { by });
  const text = lock.reason === '' ? ` 🔒 ${locked}` : ` 🔒 ${lock.reason} (${locked})`;
  return { text, people: user === undefined ? [] : [user] };
}

/** Finds the authors of locks in the audit logs: one read per level with a lock. Old entries may be gone. */
async function findLockAuthors(
  { interaction }: InteractionRequest,
  layers: SettingsLayers,
  { settingsStore }: Pick<CommandsContext, 'settingsStore'>,
): Promise<ReadonlyMap<SettingName, string>> {
  const locked = SETTING_NAMES.flatMap((name) => {
    const by = resolve(name, layers).lock?.by;
    return by === undefined || by === 'deployment' ? [] : [{ name, by }];
  });
  const levels = [...new Set(locked.map(({ by }) => by))];
  const logs = new Map(
    await Promise.all(
      levels.map(
        async (by) =>
          [by, (await settingsStore.read(getInteractionSettingsPlace(interaction), by)).log] as const,
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
