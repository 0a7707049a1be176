import type { CommandsContext } from '../../context.ts';
import {
  type Card,
  type CardPart,
  type CardControl,
  type CardOption,
  hasTypedCommands,
} from '../../../domain/index.ts';
import {
  type AuditEntry,
  isChangeable,
  type SettingsLayers,
  type SettingName,
  SETTINGS,
  type SettingFormat,
} from '../../../settings/rules/index.ts';
import {
  getInteractionSettingsPlace,
  withSettings,
  getSettingLabel,
  getValueLabel,
  wordForLevel,
} from '../../../settings/index.ts';
import {
  type Locale,
  LOCALES,
  localize,
  formatOption,
  getCommandName,
  formatCommand,
  getCommandFormat,
  channelLabel,
  workspaceLabel,
  forWhomLabel,
  nameLabel,
  settingsLabel,
  THREAD_SETTINGS,
  valueLabel as valueOptionLabel,
} from '../../../i18n/index.ts';
import type { StoredLevel } from '../../../storage/index.ts';
import { truncateText } from '../../../utils/index.ts';
import { type InteractionRequest, textCard } from '../../framework/types.ts';
import {
  getEffectiveSetting,
  SETTING_NAMES,
  listSettingFields,
  getDefaults,
  formatValue,
} from './effective-settings.ts';
import { isForOthers } from './preset-references.ts';
import { describeMissingThread } from '../../arguments/menu-path.ts';
import { isIdList } from '../../arguments/format-mentions.ts';

/** Reloads the settings, to show a change. */
export const withCurrentSettings = (
  request: InteractionRequest,
  context: CommandsContext,
): Promise<CommandsContext> => withSettings(getInteractionSettingsPlace(request.interaction), context);

/** Shows the settings of a level, the effective values, and menus to change them. `changed`: a setting that was just changed comes first. */
export async function createSettingsCard(
  request: InteractionRequest,
  level: StoredLevel,
  currentContext: CommandsContext,
  changed?: string,
): Promise<Card> {
  const { locale, interaction, admin } = request;
  if (!hasLevel(request, level)) return textCard(describeMissingLevel(request, level), 'bad');
  const context = await withCurrentSettings(request, currentContext);
  const { layer, revision, log } = await context.settingsStore.read(
    getInteractionSettingsPlace(interaction),
    level,
  );
  const { layers } = context.settings;
  const menus = mayChange(request, level)
    ? listMenuNames({ level, admin }, layers).map((name): CardControl => ({
        kind: 'choice',
        label: getSettingLabel(locale, name),
        action: { name: 'settings.set', args: [level, name, String(revision)] },
        options: [
          { label: resetLabel(locale, name, level, context), value: 'reset' },
          ...listMenuValues(name, SETTINGS[name].format).map((value): CardOption => ({
            label: getValueLabel(locale, name, value),
            value,
          })),
        ],
        chosen: formatValue(layer.values[name]) || 'reset',
      }))
    : [];
  const written = mayChange(request, level) ? createFormMenu(request, level, layers) : [];
  return {
    title: localize(locale, `settings.level.${wordForLevel(level, request.interaction.platform)}`),
    ...(changed !== undefined && { tone: 'good' as const }),
    parts: [
      ...(changed === 'persona' ? await createPersonaPreview(request, level, context) : []),
      ...(await createSettingParts(request, level, context, changed)),
      ...(menus.length > 0 ? [{ kind: 'controls' as const, controls: [...menus, ...written] }] : []),
      { kind: 'controls', controls: createNavigation(request, level) },
      { kind: 'note', markdown: formatInstructions(request, context) },
      ...createLastChangeNote(request, log),
    ],
  };
}

/** The label of the option that removes a value: it shows the value of the other levels. */
function resetLabel(
  locale: Locale,
  name: SettingName,
  level: StoredLevel,
  context: Pick<CommandsContext, 'settings' | 'deployment'>,
): string {
  const { layers } = context.settings;
  const own = layers[level];
  const otherLayers = { ...layers, [level]: own && { ...own, values: { ...own.values, [name]: undefined } } };
  const inherited = getEffectiveSetting(name, otherLayers, getDefaults(context));
  if (!inherited) return localize(locale, 'settings.reset');
  const value = getValueLabel(locale, name, formatValue(inherited.value));
  return localize(locale, 'settings.reset-to', { value });
}

const MAX_PERSONA_PREVIEW_LENGTH = 1_000;

/**
 * Shows the beginning of the persona that was just set for other people: it was named, and its author may have changed it since it was
 * looked at.
 */
async function createPersonaPreview(
  { interaction }: InteractionRequest,
  level: StoredLevel,
  { presets, settings }: Pick<CommandsContext, 'presets' | 'settings'>,
): Promise<CardPart[]> {
  const name = isForOthers({ level }) ? settings.layers[level]?.values.persona : undefined;
  if (name === undefined) return [];
  const persona = await presets.read(getInteractionSettingsPlace(interaction), 'persona', name);
  if (!persona) return [];
  return [{ kind: 'text', markdown: truncateText(persona.text, MAX_PERSONA_PREVIEW_LENGTH) }];
}

/** Says that the level does not exist where the interaction took place, and where it does. */
export const describeMissingLevel = (
  { interaction, locale }: InteractionRequest,
  level: StoredLevel,
): string =>
  level === 'thread' && hasTypedCommands(interaction)
    ? describeMissingThread(THREAD_SETTINGS, interaction, locale)
    : localize(locale, 'settings.no.nowhere');

/** Returns whether the level exists where the interaction took place. */
export function hasLevel(
  { interaction: { channel, thread } }: InteractionRequest,
  level: StoredLevel,
): boolean {
  if (level === 'channel') return channel !== undefined;
  return level !== 'thread' || thread !== undefined;
}

/** Everyone may change their own settings and those of a thread; only admins may change others. */
export const mayChange = ({ admin }: InteractionRequest, level: StoredLevel): boolean =>
  level === 'person' || level === 'thread' || admin;

/** Shows the effective values with origins and locks, and which settings the model decides. */
async function createSettingParts(
  request: InteractionRequest,
  level: StoredLevel,
  context: CommandsContext,
  changed: string | undefined,
): Promise<CardPart[]> {
  const { locale } = request;
  const all = await listSettingFields(request, level, context);
  const fields = all
    .toSorted((a, b) => Number(b.name === changed) - Number(a.name === changed))
    .map(({ name, text }) => ({
      name: `${getSettingLabel(locale, name)} (${name})`,
      value: text,
    }));
  const people = all.flatMap((one) => one.people);
  const left = MODEL_DEFAULTS.filter((name) => all.every((one) => one.name !== name)).map(
    (name) => `\`${name}\``,
  );
  const note: CardPart[] =
    left.length > 0
      ? [{ kind: 'note', markdown: localize(locale, 'settings.left', { names: left.join(', ') }) }]
      : [];
  return [{ kind: 'fields', fields, people }, ...note];
}

/** Settings that the model decides if no level sets them. */
const MODEL_DEFAULTS = [
  'effort',
  'temperature',
  'topP',
  'frequencyPenalty',
  'presencePenalty',
  'topK',
  'minP',
  'repetitionPenalty',
  'seed',
  'stop',
  'avoid',
  'tokenBias',
  'maxTokens',
] as const satisfies readonly SettingName[];

/** A person who changes settings of a level. */
type LevelChanger = { readonly level: StoredLevel; readonly admin: boolean };

/** Returns whether a setting has a menu: it has few values, and is not locked. */
const hasMenu = (name: SettingName, changer: LevelChanger, layers: SettingsLayers): boolean =>
  isChangeable(name, changer, layers) && listMenuValues(name, SETTINGS[name].format).length > 0;

/** More do not fit into Discord's 40 components, of which each menu takes two. */
const MAX_MENUS = 12;

/** Lists the settings with a menu of their own. */
const listMenuNames = (changer: LevelChanger, layers: SettingsLayers): readonly SettingName[] =>
  SETTING_NAMES.filter((name) => hasMenu(name, changer, layers)).slice(0, MAX_MENUS);

/** Left out of the menu of the others, which Discord cuts after 25 options: `model` and `memory` set them. */
const WITH_OWN_COMMAND: ReadonlySet<SettingName> = new Set(['model', 'channelFacts']);

/** Creates one menu for all settings that are typed: each opens a modal. Not for lists of people: modals cannot mention. */
function createFormMenu(
  { locale, admin }: InteractionRequest,
  level: StoredLevel,
  layers: SettingsLayers,
): CardControl[] {
  const withMenu = listMenuNames({ level, admin }, layers);
  const left = SETTING_NAMES.filter(
    (name) =>
      isChangeable(name, { level, admin }, layers) &&
      !withMenu.includes(name) &&
      !isIdList(name) &&
      !WITH_OWN_COMMAND.has(name),
  );
  const label = localize(locale, 'settings.more');
  const options = left.map((name) => ({ label: getSettingLabel(locale, name), value: name, hint: name }));
  return [{ kind: 'choice', label, action: { name: 'settings.set-form', args: [level] }, options }];
}

/** Lists the values in the menu of a setting; none if the value is typed. */
function listMenuValues(name: SettingName, format: SettingFormat): readonly string[] {
  if (format === 'yes-no') return ['yes', 'no'];
  if (format === 'language') return [...(name === 'voiceLanguage' ? ['none'] : []), 'auto', ...LOCALES];
  return typeof format === 'string' ? [] : format;
}

/** Creates buttons for the other levels and sections that the person may see. */
function createNavigation(request: InteractionRequest, level: StoredLevel): CardControl[] {
  const { locale, admin, interaction } = request;
  const levels = (['person', 'thread', 'channel', 'workspace'] as const).filter(
    (one) => one !== level && hasLevel(request, one) && mayChange(request, one),
  );
  const sections = ['usage', 'jobs', ...(admin ? (['spent'] as const) : [])] as const;
  const button = (
    name: string,
    key: (typeof levels)[number] | (typeof sections)[number] | 'models',
  ): CardControl => ({
    kind: 'button',
    label: localize(locale, `settings.show.${wordForLevel(key, interaction.platform)}`),
    action: { name, args: [key] },
  });
  const changes: CardControl = {
    kind: 'button',
    label: localize(locale, 'settings.log.show'),
    action: { name: 'settings.log', args: [level] },
  };
  return [
    ...levels.map((one) => button('settings.show', one)),
    button('model.show', 'models'),
    ...sections.map((one) => button('home.show', one)),
    ...(mayChange(request, level) ? [changes] : []),
  ];
}

function createLastChangeNote({ locale }: InteractionRequest, [last]: readonly AuditEntry[]): CardPart[] {
  // Erased people are not named.
  if (!last || last.by === '') return [];
  const { by: user, setting } = last;
  return [
    { kind: 'note', markdown: localize(locale, 'settings.changed-last', { user, setting }), people: [user] },
  ];
}

/** Explains how to change any setting, also those without a menu. */
function formatInstructions(
  { interaction, locale }: InteractionRequest,
  { settings }: Pick<CommandsContext, 'settings'>,
): string {
  const where = getCommandFormat(interaction);
  const option = [nameLabel, valueOptionLabel].map((name) => getCommandName(name, where));
  return localize(locale, 'settings.how', {
    command: formatCommand(settingsLabel, where, settings, ...option),
    channel: formatOption(forWhomLabel, 'channel', where, channelLabel),
    workspace: formatOption(forWhomLabel, 'workspace', where, workspaceLabel),
  });
}
