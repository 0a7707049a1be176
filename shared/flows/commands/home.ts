import { say } from '../../texts/index.ts';
import type { Deps } from '../ports.ts';
import { myVideos } from '../video-actions.ts';
import { type AnyCall, type Called, type Run, tell } from './run.ts';
import { settingsCard } from './settings-card.ts';
import { usageOf } from './usage.ts';
import type { Card, CardPart } from '../../conversation/index.ts';

/** App Home: one's own settings, usage and videos; for those who administer the workspace, its usage too. */
export const home: Run<Called<'home'>> = async (called, deps) =>
  tell(called, await homeCard(called, deps), deps);

/** The same as a card. */
export async function homeCard(called: AnyCall, deps: Deps): Promise<Card> {
  const cards = await Promise.all([
    settingsCard(called, 'person', deps),
    usageOf(called, deps, 'mine'),
    ...(called.admin ? [usageOf(called, deps, 'workspace')] : []),
    myVideos(called, deps),
  ]);
  return { title: say(called.locale, 'settings.home.title'), parts: cards.flatMap(section) };
}

function section({ title, parts }: Card, n: number): CardPart[] {
  const head: CardPart[] = title === undefined ? [] : [{ kind: 'text', markdown: `**${title}**` }];
  return [...(n === 0 ? [] : [{ kind: 'divider' as const }]), ...head, ...parts];
}
