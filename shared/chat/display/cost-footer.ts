import type { ChatContext } from '../context.ts';
import { formatDollars } from '../../billing/budgets/index.ts';
import { resolve } from '../../settings/rules/index.ts';
import type { TurnOutcome, Usage } from '../../domain/index.ts';
import { type Locale, localize } from '../../i18n/index.ts';

/** The cost of an answer at today's prices, formatted; undefined if it is unknown. */
export async function answerCost(
  ending: TurnOutcome,
  { price }: Pick<ChatContext, 'price'>,
): Promise<string | undefined> {
  return ending.kind === 'failed' ? undefined : costOf([ending], price);
}

/** The line below an answer with its model and cost; undefined unless the setting `footer` is on. */
export async function answerFooter(
  ending: TurnOutcome,
  locale: Locale,
  context: Pick<ChatContext, 'settings' | 'price'>,
): Promise<string | undefined> {
  if (ending.kind === 'failed' || resolve('footer', context.settings.layers).value !== true) return undefined;
  return costLine([ending], locale, context);
}

/** Models, tokens and cost (at today's prices) of these requests, as far as they are known. */
export async function costLine(
  requests: readonly PricedAnswer[],
  locale: Locale,
  { price }: Pick<ChatContext, 'price'>,
): Promise<string> {
  const models = [...new Set(requests.map(({ model }) => model))].join(', ');
  const counts = requests.flatMap(({ usage }) =>
    usage ? [usage.promptTokens + usage.completionTokens] : [],
  );
  const isCounted = counts.length === requests.length;
  const isEstimated = requests.some(({ isUsageEstimated }) => isUsageEstimated);
  const count = counts.reduce((sum, one) => sum + one, 0);
  const tokens = isCounted
    ? [localize(locale, `answers.step.tokens${isEstimated ? '-estimated' : ''}`, { count })]
    : [];
  return [
    models,
    ...tokens,
    (await costOf(requests, price)) ??
      localize(locale, isCounted ? 'answers.step.cost-unknown' : 'answers.step.cost-uncounted'),
  ].join(' · ');
}

/** A request to a model with its usage. */
export type PricedAnswer = {
  readonly model: string;
  readonly requestedModel?: string | undefined;
  readonly usage?: Usage | undefined;
  readonly isUsageEstimated?: boolean | undefined;
};

/** The names of the model of an answer: as the server names it, and as the request named it. A price may be known for one only. */
export const modelNames = ({ model, requestedModel }: PricedAnswer): string[] =>
  requestedModel === undefined ? [model] : [model, requestedModel];

async function costOf(
  requests: readonly PricedAnswer[],
  price: ChatContext['price'],
): Promise<string | undefined> {
  let sum = 0n;
  for (const answer of requests) {
    const { usage } = answer;
    const cost = usage && (await price(modelNames(answer), usage, 0));
    if (!cost?.priced) return undefined;
    sum += cost.atto;
  }
  const isEstimated = requests.some(({ isUsageEstimated }) => isUsageEstimated);
  return isEstimated ? `≈ ${formatDollars(sum)}` : formatDollars(sum);
}
