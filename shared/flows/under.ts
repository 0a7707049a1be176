import type { Ending } from '../conversation/index.ts';
import type { Button, Step, Under } from '../platforms/platform.ts';
import type { Settings } from './ports.ts';

/** The model would have written more. */
const CUT_SHORT = new Set(['length', 'context']);
/** A row of buttons stays readable with so many other models in it. */
const MOST_MODELS = 2;

/** What stands under an answer: buttons for what one may want next. Under a failure only another try is offered. */
export function underOf(
  ending: Ending,
  steps: readonly Step[],
  { otherModels }: Pick<Settings, 'otherModels'>,
): Under {
  if (ending.kind === 'failed') return { buttons: ending.reason === 'no-words' ? [] : [REGENERATE], steps };
  const others = otherModels
    .filter((model) => model !== ending.model)
    .slice(0, MOST_MODELS)
    .map((model): Button => ({ label: `Ask ${model}`, press: { kind: 'regenerate', model } }));
  const goOn = CUT_SHORT.has(ending.finish) ? [CONTINUE] : [];
  return { buttons: [...FEEDBACK, REGENERATE, ...goOn, ...others], steps };
}

const FEEDBACK: readonly Button[] = [
  { label: 'Good answer', press: { kind: 'feedback', good: true } },
  { label: 'Bad answer', press: { kind: 'feedback', good: false } },
];
const REGENERATE: Button = { label: 'Regenerate', press: { kind: 'regenerate' } };
const CONTINUE: Button = { label: 'Continue', press: { kind: 'continue' } };
