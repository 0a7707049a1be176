import { showDollars } from '../budgets/index.ts';
import type { Ending } from '../conversation/index.ts';
import { resolve } from '../settings/index.ts';
import { type Locale, say } from '../texts/index.ts';
import type { Deps } from './ports.ts';

/** What an answer cost at today's prices, as people read it; undefined where that is not known. */
export async function costOfAnswer(
  ending: Ending,
  { price }: Pick<Deps, 'price'>,
): Promise<string | undefined> {
  if (ending.kind === 'failed' || !ending.usage) return undefined;
  const cost = await price?.([ending.model], ending.usage, 0);
  return cost?.priced ? showDollars(cost.atto) : undefined;
}

/** The line under an answer that says which model gave it and at what cost; undefined unless people want to see it. */
export async function footerOf(
  ending: Ending,
  locale: Locale,
  deps: Pick<Deps, 'settings' | 'price'>,
): Promise<string | undefined> {
  if (ending.kind === 'failed' || resolve('footer', deps.settings.layers).value !== true) return undefined;
  const { model, usage } = ending;
  const count = usage && usage.promptTokens + usage.completionTokens;
  const tokens = count === undefined ? [] : [say(locale, 'answers.step.tokens', { count })];
  const cost = (await costOfAnswer(ending, deps)) ?? say(locale, 'answers.step.cost-unknown');
  return [model, ...tokens, cost].join(' · ');
}
