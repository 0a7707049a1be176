import type { CommandsContext } from '../../context.ts';
import type { Card, CardControl, CardPart, Fact } from '../../../domain/index.ts';
import { getFactDays, fitFacts, isChannelFactId, listChannelFacts } from '../../../facts/index.ts';
import {
  actionLabel,
  formatChoice,
  formatCommand,
  formatOption,
  forWhomLabel,
  getCommandFormat,
  type LocalizedText,
  localize,
  memoryLabel,
  nameLabel,
  settingsLabel,
  textLabel,
  type TextKey,
  valueLabel,
  workspaceLabel,
} from '../../../i18n/index.ts';
import { hasMemory, isMemoryAllowed } from '../../../settings/rules/index.ts';
import { withBackButton } from '../../framework/back-to-home.ts';
import type { InteractionRequest } from '../../framework/types.ts';
import { FACT_FORM } from '../../forms/load-draft.ts';
import { mayChange, withCurrentSettings } from '../parts/settings-card.ts';
import { type MemoryChoice, memoryChoices } from './memory-texts.ts';

/** Whose facts: those about the person, or those of the channel. */
export type FactScope = 'me' | 'channel';

/** On one card: Discord allows 40 components. */
const MAX_SHOWN = 5;

type ListOptions = {
  /** The number of facts to skip. */
  readonly from?: number;
  /** A sentence above the list, about what was done. */
  readonly done?: string | undefined;
};

/** Lists facts, with the buttons that change them, and says whether memory is on. */
export const createFactsCard = async (
  request: InteractionRequest,
  scope: FactScope,
  context: CommandsContext,
  options: ListOptions = {},
): Promise<Card> => withBackButton(request, await createList(request, scope, context, options));

async function createList(
  request: InteractionRequest,
  scope: FactScope,
  currentContext: CommandsContext,
  { from = 0, done }: ListOptions,
): Promise<Card> {
  const { locale } = request;
  const context = await withCurrentSettings(request, currentContext);
  const all = scope === 'me' ? await personEntries(request, context) : channelEntries(request, context);
  const entries = all.slice(from, from + MAX_SHOWN).flatMap((entry) => entryParts(entry, request, scope));
  const text: CardPart[] = done === undefined ? [] : [{ kind: 'text', markdown: done }];
  return {
    title: localize(locale, scope === 'me' ? 'facts.title' : 'facts.title.channel'),
    ...(done !== undefined && { tone: 'good' as const }),
    parts: [
      ...text,
      ...(all.length > 0 ? entries : [{ kind: 'text' as const, markdown: localize(locale, 'facts.none') }]),
      ...stateParts(request, scope, context),
      ...bottomControls(request, scope, context, { from, all: all.length }),
    ],
  };
}

/** The facts about a person, for App Home; none where administrators do not allow memory. */
export const createHomeFacts = async (
  request: InteractionRequest,
  context: CommandsContext,
): Promise<readonly Card[]> =>
  isMemoryAllowed(context.settings.layers) ? [await createList(request, 'me', context, {})] : [];

type Entry = { readonly id: string; readonly text: string; readonly use: TextKey };

/** A person's facts, newest first. */
async function personEntries(
  { interaction }: InteractionRequest,
  context: CommandsContext,
): Promise<readonly Entry[]> {
  const { platform, workspace, by } = interaction;
  const facts = await context.facts.list({ platform, workspace, user: by.user }, getFactDays(context));
  // A public question has room for the public facts, a direct message for all.
  const used = new Set([...fitFacts(facts), ...fitFacts(facts.filter(({ isPrivate }) => !isPrivate))]);
  const use = (fact: Fact) =>
    used.has(fact) ? (fact.isPrivate ? 'facts.where.private' : 'facts.where.public') : 'facts.where.unused';
  return facts.toReversed().map((fact) => ({ id: fact.id, text: fact.text, use: use(fact) }));
}

const channelEntries = (_: InteractionRequest, { settings }: CommandsContext): readonly Entry[] =>
  listChannelFacts(settings.layers).map(({ id, text }) => ({ id, text, use: 'facts.where.channel' }));

/** Returns the text of a fact about the person, or of one of the channel; undefined if none has that id. */
export async function findFactText(
  request: InteractionRequest,
  id: string,
  context: CommandsContext,
): Promise<string | undefined> {
  const entries = isChannelFactId(id)
    ? channelEntries(request, context)
    : await personEntries(request, context);
  return entries.find((entry) => entry.id === id)?.text;
}

function entryParts({ id, text, use }: Entry, request: InteractionRequest, scope: FactScope): CardPart[] {
  const { locale } = request;
  const controls: CardControl[] = [
    {
      kind: 'button',
      label: localize(locale, 'facts.edit'),
      action: { name: FACT_FORM, args: [id] },
    },
    {
      kind: 'button',
      label: localize(locale, 'facts.delete'),
      action: { name: 'memory.delete', args: [id] },
      style: 'danger',
    },
  ];
  return [
    { kind: 'text', markdown: text },
    { kind: 'note', markdown: `${localize(locale, use)} · \`${id}\`` },
    ...(mayChangeScope(request, scope) ? [{ kind: 'controls' as const, controls }] : []),
  ];
}

/** Whether the person may change these facts. */
export const mayChangeScope = (request: InteractionRequest, scope: FactScope): boolean =>
  mayChange(request, scope === 'me' ? 'person' : 'channel');

const createNote = (markdown: string): CardPart => ({ kind: 'note', markdown });

/** Says whether memory is on, and with which command it changes. */
function stateParts(request: InteractionRequest, scope: FactScope, context: CommandsContext): CardPart[] {
  const { locale } = request;
  const { layers } = context.settings;
  if (!isMemoryAllowed(layers))
    return [
      createNote(localize(locale, 'facts.state.not-allowed', { command: allowCommand(request, context) })),
    ];
  if (scope === 'channel')
    return mayChangeScope(request, scope)
      ? [createNote(localize(locale, 'facts.none.add', { command: addCommand(request, context, scope) }))]
      : [];
  const isOn = hasMemory(layers);
  const command = formatMemoryCommand(isOn ? 'off' : 'on', request, context);
  const state = createNote(localize(locale, isOn ? 'facts.state.on' : 'facts.state.off', { command }));
  return isOn
    ? [
        state,
        createNote(localize(locale, 'facts.none.add', { command: addCommand(request, context, scope) })),
      ]
    : [state];
}

const createMemoryButton = (
  name: string,
  args: readonly string[],
  label: string,
  style?: 'danger',
): CardControl => ({
  kind: 'button',
  label,
  action: { name: `memory.${name}`, args },
  style,
});

function bottomControls(
  request: InteractionRequest,
  scope: FactScope,
  { settings }: CommandsContext,
  { from, all }: { readonly from: number; readonly all: number },
): CardPart[] {
  const { locale } = request;
  const next = from + MAX_SHOWN;
  const isOn = hasMemory(settings.layers);
  const more = localize(locale, 'facts.more', { count: all - next });
  const turn = createMemoryButton(
    isOn ? 'off' : 'on',
    [],
    localize(locale, isOn ? 'facts.turn-off' : 'facts.turn-on'),
  );
  const controls: CardControl[] = [
    ...(next < all ? [createMemoryButton('list', [scope, String(next)], more)] : []),
    ...(scope === 'me' && isMemoryAllowed(settings.layers) ? [turn] : []),
    ...(all > 0 && mayChangeScope(request, scope)
      ? [createMemoryButton('clear', [scope], localize(locale, 'facts.clear'), 'danger')]
      : []),
  ];
  return controls.length > 0 ? [{ kind: 'controls', controls }] : [];
}

/** Formats `/parley memory on`. */
export const formatMemoryCommand = (
  choice: MemoryChoice,
  { interaction }: Pick<InteractionRequest, 'interaction'>,
  { settings }: Pick<CommandsContext, 'settings'>,
  ...args: readonly string[]
): string => {
  const format = getCommandFormat(interaction);
  const label: LocalizedText = memoryChoices[choice];
  return formatCommand(
    memoryLabel,
    format,
    settings,
    formatChoice(actionLabel, choice, format, label),
    ...args,
  );
};

/** Formats the command that stores a fact. */
export function addCommand(
  request: Pick<InteractionRequest, 'interaction'>,
  context: Pick<CommandsContext, 'settings'>,
  scope: FactScope,
): string {
  const format = getCommandFormat(request.interaction);
  const text = formatChoice(textLabel, '…', format);
  const forChannel =
    scope === 'me' ? [] : [formatOption(forWhomLabel, 'channel', format, memoryChoices.channel)];
  return formatMemoryCommand('add', request, context, text, ...forChannel);
}

/** Formats the command by which an administrator allows memory in the workspace. */
export function allowCommand(
  { interaction }: Pick<InteractionRequest, 'interaction'>,
  { settings }: Pick<CommandsContext, 'settings'>,
): string {
  const format = getCommandFormat(interaction);
  return formatCommand(
    settingsLabel,
    format,
    settings,
    formatChoice(nameLabel, 'memory', format),
    formatChoice(valueLabel, 'on', format),
    formatOption(forWhomLabel, 'workspace', format, workspaceLabel),
  );
}
