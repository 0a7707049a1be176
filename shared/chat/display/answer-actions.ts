import type { TurnOutcome } from '../../domain/index.ts';
import type { Button, Step, AnswerActions } from '../../platforms/ports/platform.ts';
import { isLocked } from '../../settings/rules/index.ts';
import { type Locale, localize } from '../../i18n/index.ts';
import { withoutNotice } from './notices.ts';
import type { Settings } from '../../context/ports.ts';

/** The model would have written more: it reached a limit, a person pressed Stop, or its stream broke off. */
const ENDED_EARLY: ReadonlySet<string> = new Set(['length', 'context', 'stopped', 'interrupted']);
/** A row of buttons stays readable with so many other models in it. */
const MAX_MODELS = 2;

/** Whether there are words of the model to continue from, and more to come. */
const canContinue = (ending: Extract<TurnOutcome, { kind: 'answered' }>): boolean =>
  ENDED_EARLY.has(ending.finish) && withoutNotice(ending).trim() !== '';

/** What stands under an answer: buttons for what one may want next. Under a failure only another try is offered. */
export function answerActions(
  ending: TurnOutcome,
  steps: readonly Step[],
  { otherModels, layers }: Pick<Settings, 'otherModels' | 'layers'>,
  locale: Locale,
  footer?: string,
): AnswerActions {
  const label = (name: 'good' | 'bad' | 'regenerate' | 'continue') =>
    localize(locale, `answers.button.${name}`);
  const regenerate: Button = { label: label('regenerate'), press: { kind: 'regenerate' } };
  if (ending.kind === 'failed') return { buttons: ending.reason === 'no-words' ? [] : [regenerate], steps };
  // Where the model is held, a request for another would be answered by that one.
  const offered = isLocked('model', layers) ? [] : otherModels;
  const others = offered
    .filter((model) => model !== ending.model)
    .slice(0, MAX_MODELS)
    .map((model): Button => ({
      label: localize(locale, 'answers.button.ask-model', { model }),
      press: { kind: 'regenerate', model },
    }));
  const goOn: Button = { label: label('continue'), press: { kind: 'continue' } };
  const buttons: Button[] = [
    { label: label('good'), press: { kind: 'feedback', good: true } },
    { label: label('bad'), press: { kind: 'feedback', good: false } },
    regenerate,
    ...(canContinue(ending) ? [goOn] : []),
    ...others,
  ];
  return { buttons, steps, footer };
}
