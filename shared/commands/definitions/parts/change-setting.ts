import type { CommandsContext } from '../../context.ts';
import { type Card, MAX_FACT_LENGTH, workspaceId } from '../../../domain/index.ts';
import { findLongLine } from '../../../facts/index.ts';
import {
  type SettingChange,
  applyChange,
  authorizeChange,
  isSetting,
  type SettingName,
  SETTINGS,
} from '../../../settings/rules/index.ts';
import { enqueueRetention } from '../../../privacy/index.ts';
import {
  getInteractionSettingsPlace,
  describeLock,
  describeValues,
  appendValues,
} from '../../../settings/index.ts';
import {
  type Locale,
  localize,
  formatOption,
  getCommandFormat,
  channelLabel,
  workspaceLabel,
  forWhomLabel,
} from '../../../i18n/index.ts';
import type { Preset, SettingsPlace, StoredLevel } from '../../../storage/index.ts';
import { findUnknownSource } from '../../../tools/index.ts';
import { truncateText } from '../../../utils/index.ts';
import { isForOthers, retryIfChanged } from './preset-references.ts';
import { type InteractionRequest, textCard } from '../../framework/types.ts';
import { withCurrentSettings, createSettingsCard, describeMissingLevel } from './settings-card.ts';

/** Of a fact that is too long. */
const MAX_QUOTED_LENGTH = 60;

const LEVELS: Readonly<Record<string, StoredLevel>> = {
  me: 'person',
  person: 'person',
  thread: 'thread',
  channel: 'channel',
  workspace: 'workspace',
};

/** Parses the level in an action's argument; undefined if it is invalid. */
export const parseLevel = (word: string | undefined): StoredLevel | undefined =>
  word !== undefined && Object.hasOwn(LEVELS, word) ? LEVELS[word] : undefined;

/** Parses the option `for`; the person's own level if absent. */
export const parseLevelOption = (word: unknown): StoredLevel =>
  parseLevel(typeof word === 'string' ? word : undefined) ?? 'person';

/** Returns a card that says why a change is not allowed or invalid; undefined if it is valid. Changes nothing. */
export async function findChangeRefusal(
  request: InteractionRequest,
  context: CommandsContext,
  change: SettingChange & { readonly level: StoredLevel },
): Promise<Card | undefined> {
  const { locale, interaction, admin } = request;
  const { user } = interaction.by;
  const place = getInteractionSettingsPlace(interaction);
  if ((change.level === 'channel' && !place.channel) || (change.level === 'thread' && !place.thread)) {
    return textCard(describeMissingLevel(request, change.level), 'bad');
  }
  const decision = authorizeChange(change, { user, admin, person: user }, context.settings.layers);
  if (decision.kind === 'refused') {
    if (decision.why === 'locked')
      return textCard(describeLock(decision.lock, locale, interaction.platform), 'bad');
    if (decision.why === 'own-lock') return textCard(describeLockOptions(request), 'bad');
    return textCard(describeRefusal(locale, decision.why, change.setting), 'bad');
  }
  const { setting } = decision;
  if (change.kind === 'lock' && !change.lock && !(await isLocked(setting, change.level, place, context)))
    return textCard(localize(locale, 'settings.no.lock', { setting }), 'bad');
  const unknown = await findUnknownValue(change, place, locale, context);
  return unknown === undefined ? undefined : textCard(unknown, 'bad');
}

const isLocked = async (
  setting: SettingName,
  level: StoredLevel,
  place: SettingsPlace,
  { settingsStore }: Pick<CommandsContext, 'settingsStore'>,
): Promise<boolean> => (await settingsStore.read(place, level)).layer.locks?.[setting] !== undefined;

/** Says at which levels locks are possible. */
function describeLockOptions({ interaction, locale }: InteractionRequest): string {
  const where = getCommandFormat(interaction);
  return localize(locale, 'settings.no.own-lock', {
    channel: formatOption(forWhomLabel, 'channel', where, channelLabel),
    workspace: formatOption(forWhomLabel, 'workspace', where, workspaceLabel),
  });
}

/** Returns a card if a persona is not as the person saw it; undefined if it is. */
export type CheckPersona = (persona: Preset) => Promise<Card | undefined>;

/**
 * Changes a setting if the person may. Resolves with a card that says why not; undefined after the change. `expected` is the
 * revision that the person saw. `checkPersona` is called for a persona that is set for other people, before it is.
 */
export async function changeSetting(
  request: InteractionRequest,
  context: CommandsContext,
  change: SettingChange & { readonly level: StoredLevel },
  expected?: number,
  checkPersona: CheckPersona = () => Promise.resolve(undefined),
): Promise<Card | undefined> {
  const refusal = await findChangeRefusal(request, context, change);
  if (refusal || !isSetting(change.setting)) return refusal;
  const { locale, interaction } = request;
  const { user } = interaction.by;
  const { setting } = change;
  const place = getInteractionSettingsPlace(interaction);
  const meant = await withPersonaId(change, { place, by: user, checkPersona }, context);
  if (!meant)
    return textCard(
      await describeUnknownPersona(getPersonaName(change) ?? '', place, locale, context),
      'bad',
    );
  if ('parts' in meant) return meant;
  try {
    await context.settingsStore.change(place, change.level, {
      change: meant,
      edit: (layer) => applyChange(layer, setting, meant),
      by: user,
      expected,
    });
    if (change.setting === 'retentionDays') await enqueueRetention(interaction, context.queue);
    return undefined;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'SettingConflictError') throw error;
    const now = await createSettingsCard(request, change.level, await withCurrentSettings(request, context));
    const notice = { kind: 'text' as const, markdown: localize(locale, 'settings.overtaken') };
    return { ...now, tone: 'bad', parts: [notice, ...now.parts] };
  }
}

/** Returns the persona that a change selects; undefined for other changes. */
const getPersonaName = (change: SettingChange): string | undefined =>
  change.kind === 'value' && change.setting === 'persona' && typeof change.value === 'string'
    ? change.value
    : undefined;

/**
 * Adds the current id of the persona to a change; undefined if the persona no longer exists, a card if it is not as the person saw it. A persona that
 * applies to other people becomes admin-only: otherwise its author could secretly change every answer there.
 */
async function withPersonaId<C extends SettingChange>(
  change: C,
  {
    place,
    by,
    checkPersona,
  }: { readonly place: SettingsPlace; readonly by: string; readonly checkPersona: CheckPersona },
  { presets }: Pick<CommandsContext, 'presets'>,
): Promise<C | Card | undefined> {
  const name = getPersonaName(change);
  if (name === undefined) return change;
  return retryIfChanged(async () => {
    const persona = await presets.read(place, 'persona', name);
    if (!persona) return undefined;
    // These are their words, or they took them over already: a repeated press changes nothing.
    if (isForOthers(change) && !(persona.adminOnly && persona.by === by)) {
      const superseded = await checkPersona(persona);
      if (superseded) return superseded;
      await presets.save(place, 'persona', { ...persona, by, adminOnly: true }, persona);
    }
    return { ...change, id: persona.id };
  });
}

/** Says that a value names an unknown persona, model or source of tools, or has a fact that is too long; undefined if it is good, or cannot be checked. */
async function findUnknownValue(
  change: SettingChange,
  place: SettingsPlace,
  locale: Locale,
  context: Pick<CommandsContext, 'chat' | 'presets' | 'toolSources' | 'toolServers' | 'settings'>,
): Promise<string | undefined> {
  const { chat, presets } = context;
  const { setting } = change;
  const value = change.kind === 'value' ? change.value : undefined;
  if (setting === 'tools' && Array.isArray(value)) {
    const toolPlace = { platform: place.platform, workspace: workspaceId(place.workspace) };
    const unknown = await findUnknownSource(value.map(String), toolPlace, context);
    return (
      unknown &&
      appendValues(localize(locale, 'tools.no-source', { name: unknown.name }), unknown.known, locale)
    );
  }
  if (setting === 'channelFacts' && typeof value === 'string') {
    const line = findLongLine(value);
    if (line === undefined) return undefined;
    return `${localize(locale, 'facts.length', { most: MAX_FACT_LENGTH })} “${truncateText(line, MAX_QUOTED_LENGTH)}”`;
  }
  if (setting === 'persona' && typeof value === 'string') {
    if (await presets.read(place, 'persona', value)) return undefined;
    return describeUnknownPersona(value, place, locale, { presets });
  }
  if (setting !== 'model' && setting !== 'standIns') return undefined;
  const listed = await chat.listModels();
  const models: unknown[] = Array.isArray(value) ? value : [value];
  const model = models.find((one) => typeof one === 'string' && listed.every(({ id }) => id !== one));
  if (typeof model !== 'string' || listed.length === 0) return undefined;
  const unknown = localize(locale, 'settings.model.unknown', { model });
  return appendValues(
    unknown,
    listed.map(({ id }) => id),
    locale,
  );
}

async function describeUnknownPersona(
  name: string,
  place: SettingsPlace,
  locale: Locale,
  { presets }: Pick<CommandsContext, 'presets'>,
): Promise<string> {
  const known = (await presets.list(place, 'persona')).map((one) => one.name);
  return appendValues(localize(locale, 'settings.no.unknown-persona', { name }), known, locale);
}

type RefusalReason = 'unknown' | 'not-here' | 'wrong' | 'not-admin' | 'not-yours' | 'deployment';

function describeRefusal(locale: Locale, why: RefusalReason, setting: string): string {
  const sentence = localize(locale, `settings.no.${why}`, { setting: setting.slice(0, 60) });
  if (why === 'unknown') return appendValues(sentence, Object.keys(SETTINGS), locale);
  return why === 'wrong' && isSetting(setting) ? `${sentence} ${describeValues(setting, locale)}` : sentence;
}
