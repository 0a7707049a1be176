import { showDollars } from '../budgets/index.ts';
import type { Ending, Usage } from '../conversation/index.ts';
import { resolve } from '../settings/index.ts';
import { type Locale, say } from '../texts/index.ts';
import type { Deps } from './ports.ts';

/** What an answer cost at today's prices, as people read it; undefined where that is not known. */
export async function costOfAnswer(
  ending: Ending,
  { price }: Pick<Deps, 'price'>,
): Promise<string | undefined> {
  return ending.kind === 'failed' ? undefined : costOf([ending], price);
}

/** The line under an answer that says which model gave it and at what cost; undefined unless people want to see it. */
export async function footerOf(
  ending: Ending,
  locale: Locale,
  deps: Pick<Deps, 'settings' | 'price'>,
): Promise<string | undefined> {
  if (ending.kind === 'failed' || resolve('footer', deps.settings.layers).value !== true) return undefined;
  return costLine([ending], locale, deps);
}

/** The models that were asked, how many tokens that took, and what it cost at today's prices, as far as that is known. */
export async function costLine(
  requests: readonly Priced[],
  locale: Locale,
  { price }: Pick<Deps, 'price'>,
): Promise<string> {
  const models = [...new Set(requests.map(({ model }) => model))].join(', ');
  const counts = requests.flatMap(({ usage }) =>
    usage ? [usage.promptTokens + usage.completionTokens] : [],
  );
  const isCounted = counts.length === requests.length;
  const count = counts.reduce((sum, one) => sum + one, 0);
  const tokens = isCounted ? [say(locale, 'answers.step.tokens', { count })] : [];
  return [
    models,
    ...tokens,
    (await costOf(requests, price)) ??
      say(locale, isCounted ? 'answers.step.cost-unknown' : 'answers.step.cost-uncounted'),
  ].join(' · ');
}

/** A request to a model, by what it counted. */
export type Priced = { readonly model: string; readonly usage?: Usage | undefined };

async function costOf(requests: readonly Priced[], price: Deps['price']): Promise<string | undefined> {
  let sum = 0n;
  for (const { model, usage } of requests) {
    const cost = usage && (await price?.([model], usage, 0));
    if (!cost?.priced) return undefined;
    sum += cost.atto;
  }
  return showDollars(sum);
}
