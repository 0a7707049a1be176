import type { CommandsContext } from '../context.ts';
import type { Card, CardPart } from '../../domain/index.ts';
import { localize } from '../../i18n/index.ts';
import { listVideos } from '../../video/index.ts';
import { abilityParts } from './parts/abilities.ts';
import { withBackButton } from '../framework/back-to-home.ts';
import {
  type AnyPayload,
  type InteractionContext,
  type CommandRun,
  staleReply,
  replyCard,
} from '../framework/types.ts';
import { retirementNotes } from './parts/model-retirement.ts';
import { settingsCard } from './parts/settings-card.ts';
import { usageOf } from './usage.ts';

/** App Home: what the bot can do, one's own settings, usage and videos; for those who administer the workspace, its usage too. */
export const home: CommandRun<InteractionContext<'home'>> = async (called, context) =>
  replyCard(called, await homeCard(called, context), context);

/** Its sections one by one, where there is no App Home: `home.show|usage`, `spent` (of the workspace), `jobs`. */
export const act: CommandRun<InteractionContext<'action' | 'form'>> = async (called, context) => {
  const { name, args } = called.call.action;
  if (name === 'home.show' && args[0] === 'home')
    return replyCard(called, await homeCard(called, context), context);
  const card = name === 'home.show' ? await sectionOf(args[0], called, context) : undefined;
  return card ? replyCard(called, withBackButton(called, card), context) : staleReply(called, context);
};

async function sectionOf(
  wanted: string | undefined,
  called: AnyPayload,
  context: CommandsContext,
): Promise<Card | undefined> {
  switch (wanted) {
    case 'usage':
      return usageOf(called, context);
    case 'spent':
      return usageOf(called, context, { of: 'workspace' });
    case 'jobs':
      return listVideos(called, context);
    case undefined:
    default:
      return undefined;
  }
}

/** All of them as one card. */
export async function homeCard(called: AnyPayload, context: CommandsContext): Promise<Card> {
  const [notes, ...cards] = await Promise.all([
    called.admin ? retirementNotes(called.locale, context) : [],
    settingsCard(called, 'person', context),
    usageOf(called, context),
    ...(called.admin ? [usageOf(called, context, { of: 'workspace' })] : []),
    listVideos(called, context),
  ]);
  return {
    title: localize(called.locale, 'settings.home.title'),
    parts: [...notes, ...abilityParts(called.locale, context), ...cards.flatMap(section)],
  };
}

function section({ title, parts }: Card, n: number): CardPart[] {
  const head: CardPart[] = title === undefined ? [] : [{ kind: 'text', markdown: `**${title}**` }];
  return [...(n === 0 ? [] : [{ kind: 'divider' as const }]), ...head, ...parts];
}
