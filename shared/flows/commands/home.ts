import type { Card, CardPart } from '../../conversation/index.ts';
import { say } from '../../texts/index.ts';
import type { Deps } from '../ports.ts';
import { myVideos } from '../video/actions.ts';
import { abilityParts } from './abilities.ts';
import { withWayBack } from './back-home.ts';
import { type AnyCall, type Called, type Run, stale, tell } from './run.ts';
import { settingsCard } from './settings-card.ts';
import { usageOf } from './usage.ts';

/** App Home: what the bot can do, one's own settings, usage and videos; for those who administer the workspace, its usage too. */
export const home: Run<Called<'home'>> = async (called, deps) =>
  tell(called, await homeCard(called, deps), deps);

/** Its sections one by one, where there is no App Home: `home.show|usage`, `spent` (of the workspace), `jobs`. */
export const act: Run<Called<'action' | 'form'>> = async (called, deps) => {
  const { name, args } = called.call.action;
  if (name === 'home.show' && args[0] === 'home') return tell(called, await homeCard(called, deps), deps);
  const card = name === 'home.show' ? await sectionOf(args[0], called, deps) : undefined;
  return card ? tell(called, withWayBack(called, card), deps) : stale(called, deps);
};

async function sectionOf(wanted: string | undefined, called: AnyCall, deps: Deps): Promise<Card | undefined> {
  switch (wanted) {
    case 'usage':
      return usageOf(called, deps);
    case 'spent':
      return usageOf(called, deps, { of: 'workspace' });
    case 'jobs':
      return myVideos(called, deps);
    case undefined:
    default:
      return undefined;
  }
}

/** All of them as one card. */
export async function homeCard(called: AnyCall, deps: Deps): Promise<Card> {
  const cards = await Promise.all([
    settingsCard(called, 'person', deps),
    usageOf(called, deps),
    ...(called.admin ? [usageOf(called, deps, { of: 'workspace' })] : []),
    myVideos(called, deps),
  ]);
  return {
    title: say(called.locale, 'settings.home.title'),
    parts: [...abilityParts(called.locale, deps), ...cards.flatMap(section)],
  };
}

function section({ title, parts }: Card, n: number): CardPart[] {
  const head: CardPart[] = title === undefined ? [] : [{ kind: 'text', markdown: `**${title}**` }];
  return [...(n === 0 ? [] : [{ kind: 'divider' as const }]), ...head, ...parts];
}
