import { prose } from '../answer/prose.ts';
import { numberOf } from '../directives.ts';
import type { Directive } from '../directives.ts';
import type { Random } from '../random.ts';
import type { ChatRequest } from './request.ts';

/** Reasoning tokens per tier. Models map the seven names to their own tiers. */
const TIERS: Readonly<Record<string, number>> = {
  none: 0,
  minimal: 8,
  low: 16,
  medium: 40,
  high: 80,
  xhigh: 120,
  max: 160,
};

/** The reasoning of a reasoning model; empty for others. */
export function reasoningTokens(
  request: ChatRequest,
  directives: readonly Directive[],
  random: Random,
): string {
  const { model } = request;
  if (model.reasoning === 'none') return '';
  const directive = directives.find(({ name }) => name === 'reasoning');
  const tier = model.reasoning === 'tiers' ? (TIERS[request.effort ?? 'medium'] ?? 40) : 40;
  const count = directive === undefined ? tier : Math.min(200_000, numberOf(directive.value, tier));
  return prose(random, count);
}
