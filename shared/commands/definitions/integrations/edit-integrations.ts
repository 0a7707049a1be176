import type { CommandsContext } from '../../context.ts';
import { applyPolicyChange } from '../../../billing/index.ts';
import {
  type Card,
  channelId,
  type ChannelId,
  FORMER_KEY_HOURS,
  formatMention,
  type Integration,
  integrationUser,
  MAX_INTEGRATION_CHANNELS,
  MAX_INTEGRATIONS,
  type UserId,
} from '../../../domain/index.ts';
import {
  actionLabel,
  formatChoice,
  formatCommand,
  getCommandFormat,
  integrationsLabel,
  type LocalizedText,
  localize,
  nameLabel,
} from '../../../i18n/index.ts';
import { formatIntegrationKey, mayBePrivate } from '../../../integrations/index.ts';
import { enqueueErasure } from '../../../privacy/index.ts';
import { type CommandRequest, textCard } from '../../framework/types.ts';
import { resolveReference } from '../../arguments/references.ts';
import { createKeyCard, createIntegrationListCard } from './integration-cards.ts';

/** An integration, or the card that says why there is none. */
export type FoundIntegration = { readonly integration: Integration } | { readonly card: Card };

const KEY_BYTES = 24;
const ID_BYTES = 8;

/** The choice that adds one, as Discord shows it. */
export const addIntegrationLabel: LocalizedText = {
  en: 'Add, and show its key once',
  de: 'Hinzufügen und Schlüssel einmal zeigen',
  fr: 'Ajouter, et afficher sa clé une fois',
  es: 'Añadir y mostrar su clave una vez',
  pt: 'Adicionar e mostrar a chave uma vez',
  ja: '追加してキーを一度だけ表示',
  ko: '추가하고 키를 한 번 표시',
  zh: '添加并显示一次密钥',
};

/** Lists the integrations, or says how to add one. */
export async function showIntegrations(request: CommandRequest, context: CommandsContext): Promise<Card> {
  const { interaction, locale } = request;
  const all = await context.integrations.store.list(interaction);
  if (all.length > 0) {
    const { webhooks, url } = context.integrations;
    const rows = all.map(async (one) => ({ ...one, webhook: await webhooks.find(interaction, one.id) }));
    return createIntegrationListCard(await Promise.all(rows), url, locale);
  }
  const format = getCommandFormat(interaction);
  const action = formatChoice(actionLabel, 'add', format, addIntegrationLabel);
  const name = formatChoice(nameLabel, 'deploy-bot', format);
  const command = formatCommand(integrationsLabel, format, context.settings, action, name);
  return textCard(localize(locale, 'integrations.list.none', { command }));
}

/** Adds an integration, and shows its key once. */
export async function addIntegration(
  request: CommandRequest,
  name: string,
  context: CommandsContext,
): Promise<Card> {
  const { interaction, locale } = request;
  const { store, randomBytes } = context.integrations;
  const all = await store.list(interaction);
  // A repeated delivery of this command: the key of the first one was perhaps not shown.
  const own = all.find((one) => one.request === interaction.id && one.name === name);
  const obstacle = own ? undefined : findObstacle(request, name, all);
  if (obstacle) return obstacle;
  const channels = await readChannels(request, own, context);
  if ('card' in channels) return channels.card;
  const id = own?.id ?? Buffer.from(randomBytes(ID_BYTES)).toString('hex');
  const integration = { id, name, ...channels };
  // The budget first: a key without its budget could spend.
  const refusal = await setBudget(request, integration, context);
  if (refusal) return refusal;
  const key = formatIntegrationKey(interaction, id, randomBytes(KEY_BYTES));
  await store.add(interaction, integration, key, interaction.id);
  // Another administrator may have added one meanwhile. Each of the two sees the other here, and neither keeps its key.
  const others = (await store.list(interaction)).filter((one) => one.id !== id);
  const conflict = findObstacle(request, name, others);
  if (!conflict) return createKeyCard(integration, key, context.integrations.url, locale);
  await dropBudget(interaction, integrationUser(integration), context);
  await store.remove(interaction, id);
  return conflict;
}

/** Says why another integration of this name cannot be added beside those that there are; undefined if it can. */
function findObstacle(
  { locale }: CommandRequest,
  name: string,
  all: readonly Integration[],
): Card | undefined {
  if (all.some((one) => isSameName(one, name)))
    return textCard(localize(locale, 'integrations.taken', { name }), 'bad');
  return all.length < MAX_INTEGRATIONS
    ? undefined
    : textCard(localize(locale, 'integrations.too-many', { most: MAX_INTEGRATIONS }), 'bad');
}

/** Gives an integration another key. */
export async function rotateKey(
  request: CommandRequest,
  name: string,
  context: CommandsContext,
): Promise<Card> {
  const { interaction, locale } = request;
  const { store, randomBytes, url } = context.integrations;
  const lookup = await findIntegration(request, name, context);
  if ('card' in lookup) return lookup.card;
  const { integration } = lookup;
  const key = formatIntegrationKey(interaction, integration.id, randomBytes(KEY_BYTES));
  const isStored = await store.rotate(interaction, integration.id, key, interaction.id);
  if (!isStored) return textCard(localize(locale, 'integrations.no-such', { name }), 'bad');
  return createKeyCard(integration, key, url, locale, FORMER_KEY_HOURS);
}

/** Changes where an integration may ask, and what it may spend. */
export async function changeIntegration(
  request: CommandRequest,
  name: string,
  context: CommandsContext,
): Promise<Card> {
  const { interaction, options, locale } = request;
  const lookup = await findIntegration(request, name, context);
  if ('card' in lookup) return lookup.card;
  const { integration } = lookup;
  const channels =
    options['channels'] === undefined ? undefined : await readChannels(request, integration, context);
  // Before the budget: a command that is refused changes nothing.
  if (channels && 'card' in channels) return channels.card;
  const refusal = await setBudget(request, integration, context);
  if (refusal) return refusal;
  if (channels && !(await context.integrations.store.setChannels(interaction, integration.id, channels)))
    return textCard(localize(locale, 'integrations.no-such', { name }), 'bad');
  return showIntegrations(request, context);
}

/** Removes an integration: its key is invalid at once, and its conversations are erased. */
export async function removeIntegration(
  request: CommandRequest,
  name: string,
  context: CommandsContext,
): Promise<Card> {
  const { interaction, locale } = request;
  const lookup = await findIntegration(request, name, context);
  if ('card' in lookup) return lookup.card;
  const { integration } = lookup;
  const { platform, workspace } = interaction;
  const user = integrationUser(integration);
  // The task first: nothing would lead to the conversations afterwards.
  await enqueueErasure(
    platform,
    workspace,
    { kind: 'person', user },
    `integration-${integration.id}`,
    context.queue,
  );
  await dropBudget(interaction, user, context);
  await context.integrations.webhooks.remove(interaction, integration.id);
  await context.integrations.store.remove(interaction, integration.id);
  return textCard(localize(locale, 'integrations.removed', { name: integration.name }), 'good');
}

/** A budget of nobody would stay in the list of budgets. */
async function dropBudget(
  { platform, workspace, channel = channelId('none') }: CommandRequest['interaction'],
  of: UserId,
  { budgets, time }: CommandsContext,
): Promise<void> {
  if (!budgets.enabled) return;
  const place = { platform, workspace, channel };
  const zone = await budgets.getZone(place);
  const change = { kind: 'drop', scope: 'person', of } as const;
  await budgets.changePolicy(place, (old) => applyPolicyChange(old, change, time.now(), zone));
}

const isSameName = (one: Integration, name: string): boolean => one.name.toLowerCase() === name.toLowerCase();

/** Finds an integration of the workspace by its name. */
export async function findIntegration(
  { interaction, locale }: CommandRequest,
  name: string,
  context: CommandsContext,
): Promise<FoundIntegration> {
  const all = await context.integrations.store.list(interaction);
  const integration = all.find((one) => isSameName(one, name));
  return integration
    ? { integration }
    : { card: textCard(localize(locale, 'integrations.no-such', { name }), 'bad') };
}

/** Reads the list of channels; `none` is the word for no channel. `current`: the integration as it is, if it exists. */
async function readChannels(
  request: CommandRequest,
  current: Integration | undefined,
  context: CommandsContext,
): Promise<Pick<Required<Integration>, 'channels' | 'privateChannels'> | { readonly card: Card }> {
  const words = String(request.options['channels'] ?? 'none')
    .split(/[\s,、，]+/u)
    .filter((word) => word !== '' && word !== 'none');
  if (words.length > MAX_INTEGRATION_CHANNELS)
    return {
      card: textCard(
        localize(request.locale, 'integrations.too-many-channels', { most: MAX_INTEGRATION_CHANNELS }),
        'bad',
      ),
    };
  const channels = new Set<ChannelId>();
  const privateChannels = new Set<ChannelId>();
  for (const word of words) {
    const channel = await resolveReference(request, context, word, 'channels');
    if ('sentence' in channel) return { card: textCard(channel.sentence, 'bad') };
    const id = channelId(channel.id);
    const isInside = id === request.interaction.channel || current?.privateChannels?.includes(id) === true;
    const isOpen = !isInside && (await isPublic(id, request, context));
    if (!isInside && !isOpen && !mayBePrivate(id, current))
      return {
        card: textCard(
          localize(request.locale, 'integrations.private', { where: formatMention(`#${id}`) }),
          'bad',
          [`#${id}`],
        ),
      };
    channels.add(id);
    if (!isOpen) privateChannels.add(id);
  }
  return { channels: [...channels], privateChannels: [...privateChannels] };
}

/**
 * Whether everybody may read a channel, so that an administrator may let an integration ask there from elsewhere. Its key gives what is written there to
 * whoever has it: administrators may not read private channels without being a member, nor direct messages of others, so they have to be in
 * those.
 */
const isPublic = (
  channel: ChannelId,
  { interaction: { platform, workspace } }: CommandRequest,
  { isPublicChannel }: CommandsContext,
): Promise<boolean> => isPublicChannel({ platform, workspace, channel });

/** Sets the budget of an integration: it is one of a person. Resolves with a card that says why it cannot be set. */
async function setBudget(
  { interaction, options, locale }: CommandRequest,
  integration: Integration,
  { budgets, time }: CommandsContext,
): Promise<Card | undefined> {
  const { budget } = options;
  if (budget === undefined) return undefined;
  if (!budgets.enabled) return textCard(localize(locale, 'usage.off'), 'bad');
  const { platform, workspace, channel = channelId('none') } = interaction;
  const place = { platform, workspace, channel };
  const amount = String(budget);
  const change = { kind: 'set', scope: 'person', of: integrationUser(integration), amount } as const;
  const zone = await budgets.getZone(place);
  const policy = await budgets.changePolicy(place, (old) => applyPolicyChange(old, change, time.now(), zone));
  return policy ? undefined : textCard(localize(locale, 'usage.quota.no-amount', { amount }), 'bad');
}
