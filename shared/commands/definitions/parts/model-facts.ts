import type { Usage } from '../../../domain/index.ts';
import type { ListedModel } from '../../../ports/index.ts';

/** A turn of middling size, by which prices are compared where there is no thread to go by. */
export const TYPICAL_TURN: Usage = {
  promptTokens: 2_000,
  completionTokens: 400,
  reasoningTokens: 0,
  cachedTokens: 0,
};

/** ForgetTarget a model is chosen by, in few characters: `128k · $0.42 · text, image · tools`. `⏳`: not ready. `⚠ 2027-03-01`: switched off on that day. */
export function formatModelFacts(
  { context, inputModalities, capabilities, ready, retirement, pricePerThousand }: ListedModel,
  turn: Usage = TYPICAL_TURN,
  locale = 'en',
): string {
  const cost = pricePerThousand(turn);
  const dollars = { style: 'currency', currency: 'USD', maximumFractionDigits: 2 } as const;
  const compact = new Intl.NumberFormat('en', { notation: 'compact' });
  const facts = [
    context === undefined ? '' : compact.format(context),
    cost === undefined ? '' : new Intl.NumberFormat(locale, dollars).format(cost),
    inputModalities.join(', '),
    capabilities.join(', '),
    ready ? '' : '⏳',
    retirement === undefined ? '' : `⚠ ${new Date(retirement.at).toISOString().slice(0, 10)}`,
  ];
  return facts.filter((fact) => fact !== '').join(' · ');
}

/** What is wanted of a model: what it takes or can, and what a thousand turns may cost (dollars). */
export type ModelRequirements = { readonly takes?: string | undefined; readonly below?: number | undefined };

/** The models that do what is wanted. One without a price is not below any. */
export function filterModels(
  models: readonly ListedModel[],
  { takes, below }: ModelRequirements,
  turn: Usage = TYPICAL_TURN,
): ListedModel[] {
  return models.filter((model) => {
    const able =
      takes === undefined || model.inputModalities.includes(takes) || model.capabilities.includes(takes);
    const cost = model.pricePerThousand(turn);
    return able && (below === undefined || (cost !== undefined && cost <= below));
  });
}
