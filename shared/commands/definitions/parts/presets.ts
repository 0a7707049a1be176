import type { CommandsContext } from '../../context.ts';
import type { CardAction, Card, CardPart, CardControl, TaskResult } from '../../../domain/index.ts';
import {
  MAX_PRESET_LENGTH,
  MAX_PRESET_NAME_LENGTH,
  MAX_PRESETS,
  type PresetKind,
  parsePresetName,
} from '../../../settings/rules/index.ts';
import { getInteractionSettingsPlace, appendValues } from '../../../settings/index.ts';
import type { Preset } from '../../../storage/index.ts';
import { type LocalizedText, localize } from '../../../i18n/index.ts';
import { truncateText } from '../../../utils/index.ts';
import { clearReferences, isUsedForOthers, retryIfChanged } from './preset-references.ts';
import {
  type InteractionRequest,
  type CommandRequest,
  replyStale,
  replyCard,
  textCard,
} from '../../framework/types.ts';
import type { Options } from '../../framework/command-spec.ts';

/** A command for presets of one kind: see persona.ts and schema.ts. */
export type PresetCommand = {
  readonly kind: PresetKind;
  /** The label of the button that saves a new preset. */
  readonly saveLabel: () => LocalizedText;
  /** Explains how to use a preset, below its text. */
  readonly createUsageParts: (
    request: InteractionRequest,
    saved: Preset,
    context: CommandsContext,
  ) => readonly CardPart[];
  /** Further controls below the list. */
  readonly createListControls: (request: InteractionRequest) => readonly CardControl[];
  /** Formats the text for a card. */
  readonly formatText: (text: string) => string;
  /** Uses a preset, if the kind allows it, and returns the card after it. */
  readonly use?: (request: CommandRequest, name: string, context: CommandsContext) => Promise<Card>;
  /** Says why a text is invalid; undefined if it is valid. */
  readonly findTextError: (
    text: string,
    request: InteractionRequest,
    context: CommandsContext,
  ) => string | undefined;
};

/** Returns the action that opens a modal for saving; undefined if a text is given, or options that exclude it. */
export const getSaveFormAction = (
  kind: PresetKind,
  { do: what, name = '', text, ...more }: Options,
): CardAction | undefined =>
  what === 'save' && text === undefined && Object.keys(more).length === 0
    ? { name: `${kind}.save-form`, args: [String(name).slice(0, 40)] }
    : undefined;

/**
 * Runs a command on presets. Everyone may save and use them; the author and admins may replace or remove them. Only admins may
 * replace or remove a preset that is in use at a level for other people.
 */
export async function runPresetCommand(
  command: PresetCommand,
  request: CommandRequest,
  context: CommandsContext,
): Promise<TaskResult> {
  return replyCard(request, await createCard(command, request, context), context);
}

async function createCard(
  command: PresetCommand,
  request: CommandRequest,
  context: CommandsContext,
): Promise<Card> {
  const { do: what = 'list', name, text = '' } = request.options;
  if (what === 'list') return createListCard(command, request, context);
  const named = parsePresetName(String(name ?? ''));
  if (named === undefined) return createLimitsCard(command, request);
  if (what === 'save') return savePreset(command, request, named, String(text), context);
  if (what === 'use' && command.use) return command.use(request, named, context);
  return what === 'remove'
    ? removePreset(command, request, named, context)
    : createPresetCard(command, request, named, context);
}

/** Handles the submitted modal: `persona.save`, `schema.save`. */
export async function savePresetFromForm(
  command: PresetCommand,
  request: InteractionRequest<'action' | 'form'>,
  context: CommandsContext,
): Promise<TaskResult> {
  const { payload } = request;
  if (payload.kind !== 'form' || payload.action.name !== `${command.kind}.save`)
    return replyStale(request, context);
  const { name = '', text = '' } = payload.values;
  const named = parsePresetName(name);
  const card =
    named === undefined
      ? createLimitsCard(command, request)
      : await savePreset(command, request, named, text, context);
  return replyCard(request, card, context);
}

const createLimitsCard = ({ kind }: PresetCommand, { locale }: InteractionRequest): Card =>
  textCard(
    localize(locale, `saved.${kind}.needs`, {
      longest: MAX_PRESET_NAME_LENGTH,
      most: MAX_PRESET_LENGTH[kind],
    }),
    'bad',
  );

/** Says that there is no preset of this name, and lists those that exist. */
export async function createUnknownPresetCard(
  kind: PresetKind,
  { interaction, locale }: InteractionRequest,
  name: string,
  { presets }: Pick<CommandsContext, 'presets'>,
): Promise<Card> {
  const known = (await presets.list(getInteractionSettingsPlace(interaction), kind)).map((one) => one.name);
  return textCard(appendValues(localize(locale, `saved.${kind}.unknown`, { name }), known, locale), 'bad');
}

async function createListCard(
  command: PresetCommand,
  request: InteractionRequest,
  context: CommandsContext,
): Promise<Card> {
  const { locale, interaction } = request;
  const { kind } = command;
  const all = await context.presets.list(getInteractionSettingsPlace(interaction), kind);
  const lines = all.slice(0, MAX_PRESETS).map(({ name, text }) => `- \`${name}\` ${shortenText(text)}`);
  const markdown = lines.length > 0 ? lines.join('\n') : localize(locale, `saved.${kind}.none`);
  const label = localize(locale, command.saveLabel());
  const add: CardControl = { kind: 'button', label, action: { name: `${kind}.save-form`, args: [] } };
  return {
    title: localize(locale, `saved.${kind}.title`),
    parts: [
      { kind: 'text', markdown },
      { kind: 'controls', controls: [add, ...command.createListControls(request)] },
    ],
  };
}

const MAX_BRIEF_LENGTH = 80;

const shortenText = (text: string): string => truncateText(text.replaceAll(/\s+/gu, ' '), MAX_BRIEF_LENGTH);

/** Shows a preset with its author, and how to use it. */
export async function createPresetCard(
  command: PresetCommand,
  request: InteractionRequest,
  name: string,
  context: CommandsContext,
): Promise<Card> {
  const preset = await context.presets.read(
    getInteractionSettingsPlace(request.interaction),
    command.kind,
    name,
  );
  if (!preset) return createUnknownPresetCard(command.kind, request, name, context);
  return {
    title: name,
    parts: [
      { kind: 'text', markdown: command.formatText(preset.text) },
      createAuthorNote(preset, request),
      ...command.createUsageParts(request, preset, context),
    ],
  };
}

const createAuthorNote = ({ by }: Preset, { locale }: InteractionRequest): CardPart =>
  by === undefined
    ? { kind: 'note', markdown: localize(locale, 'settings.log.forgotten') }
    : { kind: 'note', markdown: `<@${by}>`, people: [by] };

async function savePreset(
  command: PresetCommand,
  request: InteractionRequest,
  name: string,
  input: string,
  context: CommandsContext,
) {
  const { locale, interaction } = request;
  const { kind } = command;
  const text = input.trim();
  if (text === '' || text.length > MAX_PRESET_LENGTH[kind]) return createLimitsCard(command, request);
  const refusal = command.findTextError(text, request, context);
  if (refusal !== undefined) return textCard(refusal, 'bad');
  const place = getInteractionSettingsPlace(interaction);
  return retryIfChanged(async () => {
    const all = await context.presets.list(place, kind);
    const before = await context.presets.read(place, kind, name);
    if (!before && all.length >= MAX_PRESETS)
      return textCard(localize(locale, `saved.${kind}.full`, { most: MAX_PRESETS }), 'bad');
    const isUsed = await isUsedForOthers(place, kind, name, context);
    const no = findRefusal(command, request, name, { before, isUsed });
    if (no) return no;
    const { user: by } = interaction.by;
    const id = `${interaction.id}.${context.time.now()}`;
    const adminOnly = isUsed || before?.adminOnly;
    await context.presets.save(place, kind, { name, text, by, id, adminOnly }, before);
    return createPresetCard(command, request, name, context);
  });
}

/** Clears the levels that refer to the preset first: after a crash in between, the removal can be repeated. */
async function removePreset(
  command: PresetCommand,
  request: InteractionRequest,
  name: string,
  context: CommandsContext,
): Promise<Card> {
  const place = getInteractionSettingsPlace(request.interaction);
  const { kind } = command;
  return retryIfChanged(async () => {
    const before = await context.presets.read(place, kind, name);
    if (!before) return createUnknownPresetCard(kind, request, name, context);
    const isUsed = await isUsedForOthers(place, kind, name, context);
    const no = findRefusal(command, request, name, { before, isUsed });
    if (no) return no;
    await clearReferences(place, kind, name, request.interaction.by.user, context);
    await context.presets.remove(place, kind, name, before);
    return textCard(localize(request.locale, `saved.${kind}.removed`, { name }), 'good');
  });
}

/** Says why the person may not save or remove the preset of this name; undefined if they may. */
function findRefusal(
  { kind }: PresetCommand,
  { admin, interaction, locale }: InteractionRequest,
  name: string,
  { before, isUsed }: { readonly before: Preset | undefined; readonly isUsed: boolean },
): Card | undefined {
  if (admin) return undefined;
  const user = before?.by;
  if (before && user === undefined) return textCard(localize(locale, 'saved.of-nobody'), 'bad');
  if (user !== undefined && user !== interaction.by.user)
    return textCard(localize(locale, `saved.${kind}.theirs`, { user }), 'bad', [user]);
  if (!isUsed && !before?.adminOnly) return undefined;
  return textCard(localize(locale, 'saved.in-use', { name }), 'bad');
}
