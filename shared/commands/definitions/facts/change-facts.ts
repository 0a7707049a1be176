import type { CommandsContext } from '../../context.ts';
import { type Card, type FactOwner, MAX_FACT_LENGTH, MAX_FACTS } from '../../../domain/index.ts';
import {
  changeChannelFacts,
  getFactDays,
  isChannelFactId,
  isPrivatePlace,
  mayRemember,
  parseChannelFacts,
  toFactText,
} from '../../../facts/index.ts';
import { localize } from '../../../i18n/index.ts';
import { getInteractionSettingsPlace } from '../../../settings/index.ts';
import { hasMemory, isMemoryAllowed, MAX_CHANNEL_FACTS_LENGTH } from '../../../settings/rules/index.ts';
import { type InteractionRequest, textCard } from '../../framework/types.ts';
import { changeSetting } from '../parts/change-setting.ts';
import {
  allowCommand,
  type FactScope,
  createFactsCard,
  mayChangeScope,
  formatMemoryCommand,
} from './facts-card.ts';

const toOwner = ({ interaction }: InteractionRequest): FactOwner => ({
  platform: interaction.platform,
  workspace: interaction.workspace,
  user: interaction.by.user,
});

const refuse = (sentence: string): Card => textCard(sentence, 'bad');

/** Stores a fact about the person, or for the channel. Returns the list, or why it was not stored. */
export async function addFact(
  request: InteractionRequest,
  scope: FactScope,
  input: string,
  context: CommandsContext,
): Promise<Card> {
  const { locale, interaction } = request;
  const policyRefusal = findPolicyRefusal(request, context);
  if (policyRefusal) return policyRefusal;
  const text = toFactText(input);
  if (text === undefined) return refuse(localize(locale, 'facts.length', { most: MAX_FACT_LENGTH }));
  if (scope === 'channel') return changeChannelFact(request, undefined, text, context, 'facts.added');
  const offRefusal = findOffRefusal(request, context);
  if (offRefusal) return offRefusal;
  const { platform, workspace, channel, thread } = interaction;
  const isPrivate =
    channel === undefined ||
    (await isPrivatePlace({ platform, workspace, channel, root: thread?.root }, context));
  if (!mayRemember(interaction, isPrivate)) return refuse(localize(locale, 'facts.private-place'));
  const { kind } = await context.facts.add(toOwner(request), { text, isPrivate }, getFactDays(context));
  if (kind !== 'stored') return refuse(localize(locale, 'facts.full', { most: MAX_FACTS }));
  return createFactsCard(request, 'me', context, { done: localize(locale, 'facts.added') });
}

/** Says that memory is not allowed here; undefined if it is. */
const findPolicyRefusal = (request: InteractionRequest, context: CommandsContext): Card | undefined =>
  isMemoryAllowed(context.settings.layers)
    ? undefined
    : refuse(
        localize(request.locale, 'facts.state.not-allowed', { command: allowCommand(request, context) }),
      );

/** Says that the person has turned their memory off; undefined if it is on. */
const findOffRefusal = (request: InteractionRequest, context: CommandsContext): Card | undefined =>
  hasMemory(context.settings.layers)
    ? undefined
    : refuse(
        localize(request.locale, 'facts.turn-on-first', {
          command: formatMemoryCommand('on', request, context),
        }),
      );

/** Changes the text of a fact. It is used where it was used before. Refuses where nothing may be stored. */
export async function editFact(
  request: InteractionRequest,
  id: string,
  input: string,
  context: CommandsContext,
): Promise<Card> {
  const { locale } = request;
  const policyRefusal = findPolicyRefusal(request, context);
  if (policyRefusal) return policyRefusal;
  const text = toFactText(input);
  if (text === undefined) return refuse(localize(locale, 'facts.length', { most: MAX_FACT_LENGTH }));
  if (isChannelFactId(id)) return changeChannelFact(request, id, text, context, 'facts.edited');
  const offRefusal = findOffRefusal(request, context);
  if (offRefusal) return offRefusal;
  const { kind } = await context.facts.edit(toOwner(request), id, text, getFactDays(context));
  if (kind !== 'stored') return createUnknownFactCard(request, context);
  return createFactsCard(request, 'me', context, { done: localize(locale, 'facts.edited') });
}

/** Deletes a fact. Idempotent. */
export async function deleteFact(
  request: InteractionRequest,
  id: string,
  context: CommandsContext,
): Promise<Card> {
  const { locale } = request;
  if (isChannelFactId(id)) return changeChannelFact(request, id, undefined, context, 'facts.deleted');
  await context.facts.remove(toOwner(request), id, getFactDays(context));
  return createFactsCard(request, 'me', context, { done: localize(locale, 'facts.deleted') });
}

/** Deletes all facts of a scope. Idempotent. */
export async function clearFacts(
  request: InteractionRequest,
  scope: FactScope,
  context: CommandsContext,
): Promise<Card> {
  const { locale } = request;
  if (scope === 'me') {
    await context.facts.clear(toOwner(request));
    return textCard(localize(locale, 'facts.cleared'), 'good');
  }
  const change = { kind: 'value', level: 'channel', setting: 'channelFacts', value: undefined } as const;
  const refusal = findScopeRefusal(request) ?? (await changeSetting(request, context, change));
  return refusal ?? textCard(localize(locale, 'facts.cleared.channel'), 'good');
}

export const createUnknownFactCard = (request: InteractionRequest, context: CommandsContext): Card =>
  textCard(
    localize(request.locale, 'facts.unknown', { list: formatMemoryCommand('list', request, context) }),
    'bad',
  );

/** Says that only administrators change the facts of a channel; undefined for one, or outside of a channel. */
const findScopeRefusal = (request: InteractionRequest): Card | undefined =>
  mayChangeScope(request, 'channel') ? undefined : textCard(localize(request.locale, 'facts.admins'), 'bad');

/** Adds, changes (`id`) or deletes (no `text`) a fact of the channel: one line of its setting, with the checks of every setting. */
async function changeChannelFact(
  request: InteractionRequest,
  id: string | undefined,
  text: string | undefined,
  context: CommandsContext,
  done: 'facts.added' | 'facts.edited' | 'facts.deleted',
): Promise<Card> {
  const { locale, interaction } = request;
  const place = getInteractionSettingsPlace(interaction);
  if (place.channel === undefined) return textCard(localize(locale, 'settings.no.nowhere'), 'bad');
  const refusal = findScopeRefusal(request);
  if (refusal) return refusal;
  const { layer, revision } = await context.settingsStore.read(place, 'channel');
  const facts = parseChannelFacts(layer.values.channelFacts ?? '');
  const isKnown = facts.some((fact) => fact.id === id);
  if (id !== undefined && text !== undefined && !isKnown) return createUnknownFactCard(request, context);
  const changed = changeChannelFacts(facts, id, text);
  if (!changed)
    return textCard(localize(locale, 'facts.full.channel', { most: MAX_CHANNEL_FACTS_LENGTH }), 'bad');
  const change = {
    kind: 'value',
    level: 'channel',
    setting: 'channelFacts',
    value: changed.value,
  } as const;
  const failure =
    id !== undefined && !isKnown ? undefined : await changeSetting(request, context, change, revision);
  return failure ?? createFactsCard(request, 'channel', context, { done: localize(locale, done) });
}
