import { formatDollars } from '../../billing/budgets/index.ts';
import type { TurnOutcome, Usage } from '../../domain/index.ts';
import { resolve } from '../../settings/rules/index.ts';
import { type Locale, localize } from '../../i18n/index.ts';
import type { WorkerContext } from '../../context/ports.ts';

/** What an answer cost at today's prices, as people read it; undefined where that is not known. */
export async function answerCost(
  ending: TurnOutcome,
  { price }: Pick<WorkerContext, 'price'>,
): Promise<string | undefined> {
  return ending.kind === 'failed' ? undefined : costOf([ending], price);
}

/** The line under an answer that says which model gave it and at what cost; undefined unless people want to see it. */
export async function answerFooter(
  ending: TurnOutcome,
  locale: Locale,
  context: Pick<WorkerContext, 'settings' | 'price'>,
): Promise<string | undefined> {
  if (ending.kind === 'failed' || resolve('footer', context.settings.layers).value !== true) return undefined;
  return costLine([ending], locale, context);
}

/** The models that were asked, how many tokens that took, and what it cost at today's prices, as far as that is known. */
export async function costLine(
  requests: readonly PricedAnswer[],
  locale: Locale,
  { price }: Pick<WorkerContext, 'price'>,
): Promise<string> {
  const models = [...new Set(requests.map(({ model }) => model))].join(', ');
  const counts = requests.flatMap(({ usage }) =>
    usage ? [usage.promptTokens + usage.completionTokens] : [],
  );
  const isCounted = counts.length === requests.length;
  const count = counts.reduce((sum, one) => sum + one, 0);
  const tokens = isCounted ? [localize(locale, 'answers.step.tokens', { count })] : [];
  return [
    models,
    ...tokens,
    (await costOf(requests, price)) ??
      localize(locale, isCounted ? 'answers.step.cost-unknown' : 'answers.step.cost-uncounted'),
  ].join(' · ');
}

/** A request to a model, by what it counted. */
export type PricedAnswer = { readonly model: string; readonly usage?: Usage | undefined };

async function costOf(
  requests: readonly PricedAnswer[],
  price: WorkerContext['price'],
): Promise<string | undefined> {
  let sum = 0n;
  for (const { model, usage } of requests) {
    const cost = usage && (await price([model], usage, 0));
    if (!cost?.priced) return undefined;
    sum += cost.atto;
  }
  return formatDollars(sum);
}
