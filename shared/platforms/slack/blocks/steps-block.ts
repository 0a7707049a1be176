import type { ContextBlock } from '@slack/types';
import type { Step } from '../../ports/index.ts';
import { inWords } from '../../markdown/index.ts';

/** Slack's limit of a context block. */
const ELEMENTS = 10;

/** The steps in a line above the text, where there are no task cards: one element each. */
export function stepsBlock(steps: readonly Step[]): ContextBlock[] {
  if (steps.length === 0) return [];
  const most = steps.length > ELEMENTS ? ELEMENTS - 1 : ELEMENTS;
  const words = steps.slice(0, most).map(inWords);
  if (steps.length > most) words.push(`+${steps.length - most}`);
  return [{ type: 'context', elements: words.map((text) => ({ type: 'plain_text', text, emoji: false })) }];
}
