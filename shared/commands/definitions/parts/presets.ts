import type { CommandsContext } from '../../context.ts';
import type { CardAction, Card, CardPart, CardControl, TaskResult } from '../../../domain/index.ts';
import {
  MAX_PRESET_LENGTH,
  MAX_PRESETS,
  type PresetKind,
  parsePresetName,
} from '../../../settings/rules/index.ts';
import { getInteractionSettingsPlace, appendValues } from '../../../settings/index.ts';
import type { Preset } from '../../../storage/index.ts';
import { type LocalizedText, localize } from '../../../i18n/index.ts';
import { clearReferences, isUsedForOthers, retryIfChanged } from './preset-use.ts';
import {
  type AnyPayload,
  type InteractionContext,
  type CommandContext,
  staleReply,
  replyCard,
  textCard,
} from '../../framework/types.ts';
import type { Options } from '../../framework/command-spec.ts';

/** What is saved by name and shown before it is used: see persona.ts and schema.ts. */
export type SavedCommand = {
  readonly kind: PresetKind;
  /** What its button for a new one says. */
  readonly save: () => LocalizedText;
  /** What stands under one that is shown: how to use it. */
  readonly under: (called: AnyPayload, saved: Preset, context: CommandsContext) => readonly CardPart[];
  /** What stands beside Save under the list. */
  readonly beside: (called: AnyPayload) => readonly CardControl[];
  /** How a text is shown. */
  readonly shown: (text: string) => string;
  /** Puts one that there is to use, where the kind has such: what people then see. */
  readonly use?: (called: CommandContext, name: string, context: CommandsContext) => Promise<Card>;
  /** Why a text cannot be saved, in the person's language; undefined for one that can. */
  readonly refused: (text: string, called: AnyPayload, context: CommandsContext) => string | undefined;
};

/** Saving without a text opens a form; with what does not go with saving, the worker says so. */
export const savingForm = (
  kind: PresetKind,
  { do: what, name = '', text, ...more }: Options,
): CardAction | undefined =>
  what === 'save' && text === undefined && Object.keys(more).length === 0
    ? { name: `${kind}.save-form`, args: [String(name).slice(0, 40)] }
    : undefined;

/**
 * Everybody may save and use; whoever saved one, and those who administer, may replace or remove it. What is in use for others is
 * for those who administer alone: by its name they have set what speaks there.
 */
export async function runSaved(
  of: SavedCommand,
  called: CommandContext,
  context: CommandsContext,
): Promise<TaskResult> {
  return replyCard(called, await done(of, called, context), context);
}

async function done(of: SavedCommand, called: CommandContext, context: CommandsContext): Promise<Card> {
  const { do: what = 'list', name, text = '' } = called.options;
  if (what === 'list') return list(of, called, context);
  const named = parsePresetName(String(name ?? ''));
  if (named === undefined) return needs(of, called);
  if (what === 'save') return save(of, called, named, String(text), context);
  if (what === 'use' && of.use) return of.use(called, named, context);
  return what === 'remove' ? remove(of, called, named, context) : show(of, called, named, context);
}

/** The form was sent: `persona.save`. */
export async function actSaved(
  of: SavedCommand,
  called: InteractionContext<'action' | 'form'>,
  context: CommandsContext,
): Promise<TaskResult> {
  const { call } = called;
  if (call.kind !== 'form' || call.action.name !== `${of.kind}.save`) return staleReply(called, context);
  const { name = '', text = '' } = call.values;
  const named = parsePresetName(name);
  const card = named === undefined ? needs(of, called) : await save(of, called, named, text, context);
  return replyCard(called, card, context);
}

const needs = ({ kind }: SavedCommand, { locale }: AnyPayload): Card =>
  textCard(localize(locale, `saved.${kind}.needs`, { most: MAX_PRESET_LENGTH[kind] }), 'bad');

/** There is none of this name; the names that there are. */
export async function unknownSaved(
  kind: PresetKind,
  { invocation, locale }: AnyPayload,
  name: string,
  { presets: saved }: Pick<CommandsContext, 'presets'>,
): Promise<Card> {
  const known = (await saved.list(getInteractionSettingsPlace(invocation), kind)).map((one) => one.name);
  return textCard(appendValues(localize(locale, `saved.${kind}.unknown`, { name }), known, locale), 'bad');
}

async function list(of: SavedCommand, called: AnyPayload, context: CommandsContext): Promise<Card> {
  const { locale, invocation } = called;
  const { kind } = of;
  const all = await context.presets.list(getInteractionSettingsPlace(invocation), kind);
  const lines = all.slice(0, MAX_PRESETS).map(({ name, text }) => `- \`${name}\` ${brief(text)}`);
  const markdown = lines.length > 0 ? lines.join('\n') : localize(locale, `saved.${kind}.none`);
  const label = localize(locale, of.save());
  const add: CardControl = { kind: 'button', label, action: { name: `${kind}.save-form`, args: [] } };
  return {
    title: localize(locale, `saved.${kind}.title`),
    parts: [
      { kind: 'text', markdown },
      { kind: 'controls', controls: [add, ...of.beside(called)] },
    ],
  };
}

const MAX_BRIEF_LENGTH = 80;

function brief(text: string): string {
  const line = text.replaceAll(/\s+/gu, ' ');
  return line.length <= MAX_BRIEF_LENGTH ? line : `${line.slice(0, MAX_BRIEF_LENGTH - 1).toWellFormed()}…`;
}

async function show(
  of: SavedCommand,
  called: AnyPayload,
  name: string,
  context: CommandsContext,
): Promise<Card> {
  const found = await context.presets.read(getInteractionSettingsPlace(called.invocation), of.kind, name);
  if (!found) return unknownSaved(of.kind, called, name, context);
  return {
    title: name,
    parts: [
      { kind: 'text', markdown: of.shown(found.text) },
      author(found, called),
      ...of.under(called, found, context),
    ],
  };
}

const author = ({ by }: Preset, { locale }: AnyPayload): CardPart =>
  by === undefined
    ? { kind: 'note', markdown: localize(locale, 'settings.log.forgotten') }
    : { kind: 'note', markdown: `<@${by}>`, people: [by] };

async function save(
  of: SavedCommand,
  called: AnyPayload,
  name: string,
  given: string,
  context: CommandsContext,
) {
  const { locale, invocation } = called;
  const { kind } = of;
  const text = given.trim();
  if (text === '' || text.length > MAX_PRESET_LENGTH[kind]) return needs(of, called);
  const refused = of.refused(text, called, context);
  if (refused !== undefined) return textCard(refused, 'bad');
  const place = getInteractionSettingsPlace(invocation);
  return retryIfChanged(async () => {
    const all = await context.presets.list(place, kind);
    const before = await context.presets.read(place, kind, name);
    if (!before && all.length >= MAX_PRESETS)
      return textCard(localize(locale, `saved.${kind}.full`, { most: MAX_PRESETS }), 'bad');
    const isUsed = await isUsedForOthers(place, kind, name, context);
    const no = refusalOf(of, called, name, { before, isUsed });
    if (no) return no;
    const { user: by } = invocation.by;
    const id = `${invocation.id}.${context.time.now()}`;
    const adminOnly = isUsed || before?.adminOnly;
    await context.presets.save(place, kind, { name, text, by, id, adminOnly }, before);
    return show(of, called, name, context);
  });
}

/** The levels that refer to it are cleared first: broken off after that, it can be removed once more. */
async function remove(
  of: SavedCommand,
  called: AnyPayload,
  name: string,
  context: CommandsContext,
): Promise<Card> {
  const place = getInteractionSettingsPlace(called.invocation);
  const { kind } = of;
  return retryIfChanged(async () => {
    const before = await context.presets.read(place, kind, name);
    if (!before) return unknownSaved(kind, called, name, context);
    const isUsed = await isUsedForOthers(place, kind, name, context);
    const no = refusalOf(of, called, name, { before, isUsed });
    if (no) return no;
    await clearReferences(place, kind, name, called.invocation.by.user, context);
    await context.presets.remove(place, kind, name, before);
    return textCard(localize(called.locale, `saved.${kind}.removed`, { name }), 'good');
  });
}

/** Why this person may not save or remove what has this name; undefined where they may. */
function refusalOf(
  { kind }: SavedCommand,
  { admin, invocation, locale }: AnyPayload,
  name: string,
  { before, isUsed }: { readonly before: Preset | undefined; readonly isUsed: boolean },
): Card | undefined {
  if (admin) return undefined;
  const user = before?.by;
  if (before && user === undefined) return textCard(localize(locale, 'saved.of-nobody'), 'bad');
  if (user !== undefined && user !== invocation.by.user)
    return textCard(localize(locale, `saved.${kind}.theirs`, { user }), 'bad', [user]);
  if (!isUsed && !before?.adminOnly) return undefined;
  return textCard(localize(locale, 'saved.in-use', { name }), 'bad');
}
