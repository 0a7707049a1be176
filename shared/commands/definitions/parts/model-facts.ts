import type { Usage } from '../../../domain/index.ts';
import type { ListedModel } from '../../../ports/index.ts';
import { formatDollars } from '../../../utils/index.ts';

/** The usage for comparing prices outside of threads. */
export const TYPICAL_TURN: Usage = {
  promptTokens: 2_000,
  completionTokens: 400,
  reasoningTokens: 0,
  cachedTokens: 0,
};

/** The facts by which people choose a model, in few characters: `128k · $0.42 · text, image · tools`. `⏳`: not ready. `⚠ 2027-03-01`: switched off on that day. */
export function formatModelFacts(
  { context, inputModalities, capabilities, ready, retirement, pricePerThousand }: ListedModel,
  turn: Usage = TYPICAL_TURN,
  locale = 'en',
): string {
  const cost = pricePerThousand(turn);
  const compact = new Intl.NumberFormat('en', { notation: 'compact' });
  const facts = [
    context === undefined ? '' : compact.format(context),
    cost === undefined ? '' : formatDollars(cost, locale),
    inputModalities.join(', '),
    capabilities.join(', '),
    ready ? '' : '⏳',
    retirement === undefined ? '' : `⚠ ${new Date(retirement.at).toISOString().slice(0, 10)}`,
  ];
  return facts.filter((fact) => fact !== '').join(' · ');
}

/** Required inputs or capabilities of a model, and the maximum price of a thousand turns (dollars). */
export type ModelRequirements = { readonly takes?: string | undefined; readonly below?: number | undefined };

/** Filters models by requirements. A model without a price never meets a maximum price. */
export function filterModels(
  models: readonly ListedModel[],
  { takes, below }: ModelRequirements,
  turn: Usage = TYPICAL_TURN,
): ListedModel[] {
  return models.filter((model) => {
    const isCapable =
      takes === undefined || model.inputModalities.includes(takes) || model.capabilities.includes(takes);
    const cost = model.pricePerThousand(turn);
    return isCapable && (below === undefined || (cost !== undefined && cost <= below));
  });
}
