import type { CommandsContext } from '../context.ts';
import type { Card } from '../../domain/index.ts';
import { getFormTexts, localize } from '../../i18n/index.ts';
import { isMemoryAllowed } from '../../settings/rules/index.ts';
import type { RulesOf } from '../framework/option-rules.ts';
import {
  type CommandHandler,
  type CommandRequest,
  type InteractionRequest,
  type OwnDataAccess,
  replyCard,
  replyStale,
  textCard,
} from '../framework/types.ts';
import type { CommandSpec, TextsOf } from '../framework/command-spec.ts';
import { createFactForm } from '../forms/fact-form.ts';
import { FACT_FORM } from '../forms/load-draft.ts';
import { openForm } from '../forms/open-form.ts';
import { addFact, clearFacts, deleteFact, editFact, createUnknownFactCard } from './facts/change-facts.ts';
import {
  addCommand,
  allowCommand,
  type FactScope,
  createFactsCard,
  findFactText,
  formatMemoryCommand,
} from './facts/facts-card.ts';
import { memoryTexts } from './facts/memory-texts.ts';
import { changeSetting } from './parts/change-setting.ts';

export const spec = {
  name: 'memory',
  options: [
    { name: 'do', kind: 'text', choices: ['list', 'on', 'off', 'add', 'edit', 'delete', 'clear'] },
    // Longer than a fact, which is then explained; and in Slack the code of a fact may come first.
    { name: 'text', kind: 'text', max: 1_000, rest: true },
    { name: 'fact', kind: 'text', max: 20 },
    { name: 'for', kind: 'text', choices: ['me', 'channel'] },
  ],
} as const satisfies CommandSpec;

export const rules: RulesOf<typeof spec> = {
  do: { default: 'list' },
  text: { onlyWith: { do: ['add', 'edit', 'delete'] } },
  fact: { onlyWith: { do: ['edit', 'delete'] } },
  for: { onlyWith: { do: ['list', 'add', 'clear'] } },
};

/** People who may not use the bot may see and delete what it remembers about them. */
export const ownData: OwnDataAccess = {
  command: ({ do: what = 'list', for: scope }) =>
    ['list', 'off', 'delete', 'clear'].includes(String(what)) && scope !== 'channel',
  actions: ['memory.list', 'memory.off', 'memory.delete', 'memory.clear'],
};

/** Shows or changes what is remembered about the person, or for the channel; turns memory on and off for the person. */
export const run: CommandHandler<CommandRequest> = async (request, context) =>
  replyCard(request, await createCard(request, context), context);

async function createCard(request: CommandRequest, context: CommandsContext): Promise<Card> {
  const text = String(request.options['text'] ?? '');
  const what = String(request.options['do'] ?? 'list');
  const scope = toScope(request.options['for']);
  switch (what) {
    case 'on':
    case 'off':
      return turnMemory(what, request, context);
    case 'add':
      return addFact(request, scope, text, context);
    case 'edit':
    case 'delete': {
      const { id, rest } = readFactId(request);
      if (id === '') return createUnknownFactCard(request, context);
      return what === 'edit' ? editFact(request, id, rest, context) : deleteFact(request, id, context);
    }
    case 'clear':
      return clearFacts(request, scope, context);
    default:
      return createFactsCard(request, scope, context);
  }
}

const toScope = (word: unknown): FactScope => (word === 'channel' ? 'channel' : 'me');

/** Reads the code of a fact: from its option, or as the first word of the text. */
function readFactId({ options }: CommandRequest): { readonly id: string; readonly rest: string } {
  const text = String(options['text'] ?? '').trim();
  if (options['fact'] !== undefined) return { id: normalizeId(String(options['fact'])), rest: text };
  const [id = ''] = text.split(/\s/u, 1);
  return { id: normalizeId(id), rest: text.slice(id.length) };
}

/** Keyboards write codes with capitals, and people copy their quotes. */
const normalizeId = (id: string): string => id.toLowerCase().replaceAll(/[^\da-z]/gu, '');

async function turnMemory(
  what: 'on' | 'off',
  request: InteractionRequest,
  context: CommandsContext,
): Promise<Card> {
  const { locale } = request;
  if (what === 'on' && !isMemoryAllowed(context.settings.layers)) {
    const command = allowCommand(request, context);
    return textCard(localize(locale, 'facts.state.not-allowed', { command }), 'bad');
  }
  const isOn = what === 'on';
  const change = { kind: 'value', level: 'person', setting: 'memoryOptIn', value: isOn } as const;
  const refusal = await changeSetting(request, context, change);
  if (refusal) return refusal;
  const commands = {
    add: addCommand(request, context, 'me'),
    list: formatMemoryCommand('list', request, context),
    clear: formatMemoryCommand('clear', request, context),
  };
  return textCard(localize(locale, `facts.${what}`, commands), 'good');
}

/** Asks before everything is deleted: not all platforms have a dialog for that. */
const askToClear = ({ locale }: InteractionRequest, scope: string): Card => ({
  parts: [
    { kind: 'text', markdown: localize(locale, 'facts.clear-confirm') },
    {
      kind: 'controls',
      controls: [
        {
          kind: 'button',
          label: localize(locale, 'facts.clear'),
          style: 'danger',
          action: { name: 'memory.clear', args: [scope, 'yes'] },
        },
      ],
    },
  ],
});

/** The front opens the modal of a person's own fact; this one is for facts of a channel, and where the front could not. */
async function openFactForm(request: InteractionRequest, id: string, context: CommandsContext) {
  const text = await findFactText(request, id, context);
  return text === undefined
    ? replyCard(request, createUnknownFactCard(request, context), context)
    : openForm(request, createFactForm(id, text, getFormTexts(request.locale)), context);
}

/** Handles `memory.edit-form|id`, `memory.delete|id`, `memory.list|scope|from`, `memory.clear|scope`, `memory.on`, `memory.off`, and the modal `memory.save|id`. */
export const onAction: CommandHandler<InteractionRequest<'action' | 'form'>> = async (request, context) => {
  const { kind, action } = request.payload;
  if (kind === 'action' && action.name === FACT_FORM)
    return openFactForm(request, action.args[0] ?? '', context);
  const card = await createActionCard(request, context);
  return card ? replyCard(request, card, context) : replyStale(request, context);
};

async function createActionCard(
  request: InteractionRequest<'action' | 'form'>,
  context: CommandsContext,
): Promise<Card | undefined> {
  const { payload, locale } = request;
  const { name, args } = payload.action;
  const [first = '', second = ''] = args;
  switch (name) {
    case 'memory.delete':
      return deleteFact(request, first, context);
    case 'memory.save':
      return payload.kind === 'form'
        ? editFact(request, first, payload.values['text'] ?? '', context)
        : undefined;
    case 'memory.list':
      return createFactsCard(request, toScope(first), context, { from: Number(second) || 0 });
    case 'memory.clear':
      return second === 'yes' ? clearFacts(request, toScope(first), context) : askToClear(request, first);
    case 'memory.on':
    case 'memory.off': {
      const what = name === 'memory.on' ? 'on' : 'off';
      const card = await turnMemory(what, request, context);
      if (card.tone === 'bad') return card;
      const [part] = card.parts;
      const done = part?.kind === 'text' ? part.markdown : localize(locale, 'facts.edited');
      return createFactsCard(request, 'me', context, { done });
    }
    default:
      return undefined;
  }
}

export const texts = memoryTexts satisfies TextsOf<typeof spec>;
