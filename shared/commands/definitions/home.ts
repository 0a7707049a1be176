import type { CommandsContext } from '../context.ts';
import type { Card, CardPart } from '../../domain/index.ts';
import { localize } from '../../i18n/index.ts';
import { listVideos } from '../../video/index.ts';
import { createAbilityParts } from './parts/abilities.ts';
import { createHomeFacts } from './facts/facts-card.ts';
import { withBackButton } from '../framework/back-to-home.ts';
import { type InteractionRequest, type CommandHandler, replyStale, replyCard } from '../framework/types.ts';
import { createRetirementNotes } from './parts/model-retirement.ts';
import { createSettingsCard } from './parts/settings-card.ts';
import { createUsageCard } from './usage.ts';

/** Shows App Home: what is on for the person, their usage, settings and videos; for admins also the usage of the workspace. */
export const showHome: CommandHandler<InteractionRequest<'home'>> = async (request, context) =>
  replyCard(request, await createHomeCard(request, context), context);

/** Shows one section, on platforms without App Home: `home.show|usage`, `spent` (usage of the workspace) or `jobs`. */
export const onAction: CommandHandler<InteractionRequest<'action' | 'form'>> = async (request, context) => {
  const { name, args } = request.payload.action;
  if (name === 'home.show' && args[0] === 'home')
    return replyCard(request, await createHomeCard(request, context), context);
  const card = name === 'home.show' ? await createSection(args[0], request, context) : undefined;
  return card ? replyCard(request, withBackButton(request, card), context) : replyStale(request, context);
};

async function createSection(
  section: string | undefined,
  request: InteractionRequest,
  context: CommandsContext,
): Promise<Card | undefined> {
  switch (section) {
    case 'usage':
      return createUsageCard(request, context);
    case 'spent':
      return createUsageCard(request, context, { of: 'workspace' });
    case 'jobs':
      return listVideos(request, context);
    case undefined:
    default:
      return undefined;
  }
}

/** Creates the card of App Home with all sections. */
export async function createHomeCard(request: InteractionRequest, context: CommandsContext): Promise<Card> {
  const [notes, ...cards] = await Promise.all([
    request.admin ? createRetirementNotes(request.locale, context) : [],
    createUsageCard(request, context),
    createSettingsCard(request, 'person', context),
    createHomeFacts(request, context),
    ...(request.admin ? [createUsageCard(request, context, { of: 'workspace' })] : []),
    listVideos(request, context),
  ]);
  return {
    title: localize(request.locale, 'settings.home.title'),
    parts: [...notes, ...createAbilityParts(request, context), ...cards.flat().flatMap(toSectionParts)],
  };
}

function toSectionParts({ title, parts }: Card, n: number): CardPart[] {
  const head: CardPart[] = title === undefined ? [] : [{ kind: 'text', markdown: `**${title}**` }];
  return [...(n === 0 ? [] : [{ kind: 'divider' as const }]), ...head, ...parts];
}
