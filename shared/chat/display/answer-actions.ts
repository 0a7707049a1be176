import type { TurnOutcome } from '../../domain/index.ts';
import type { Button, Step, AnswerActions } from '../../platforms/ports/index.ts';
import { isSettingLocked } from '../../settings/rules/index.ts';
import type { Settings } from '../../ports/index.ts';
import { type Locale, localize } from '../../i18n/index.ts';
import { modelNames } from './cost-footer.ts';
import { withoutNotice } from './notices.ts';

/** The model has more to write: it reached a limit, a person pressed Stop, or its stream was interrupted. */
const ENDED_EARLY: ReadonlySet<string> = new Set(['length', 'context', 'stopped', 'interrupted']);
/** More buttons in a row are hard to read. */
const MAX_MODELS = 2;

/** Whether there are words of the model to continue from, and it ended early. */
const canContinue = (ending: Extract<TurnOutcome, { kind: 'answered' }>): boolean =>
  ENDED_EARLY.has(ending.finish) && withoutNotice(ending).trim() !== '';

/** The buttons and the footer of an answer. A failure has only the button to regenerate. */
export function answerActions(
  ending: TurnOutcome,
  steps: readonly Step[],
  { otherModels, layers }: Pick<Settings, 'otherModels' | 'layers'>,
  locale: Locale,
  footer?: string,
): AnswerActions {
  const label = (name: 'good' | 'bad' | 'regenerate' | 'continue') =>
    localize(locale, `answers.button.${name}`);
  const regenerate: Button = { label: label('regenerate'), action: { kind: 'regenerate' } };
  if (ending.kind === 'failed') return { buttons: ending.reason === 'no-words' ? [] : [regenerate], steps };
  // Where the model is locked, a request for another model would use the locked one.
  const offered = isSettingLocked('model', layers) ? [] : otherModels;
  const others = offered
    .filter((model) => !modelNames(ending).includes(model))
    .slice(0, MAX_MODELS)
    .map((model): Button => ({
      label: localize(locale, 'answers.button.ask-model', { model }),
      action: { kind: 'regenerate', model },
    }));
  const continueButton: Button = { label: label('continue'), action: { kind: 'continue' } };
  const buttons: Button[] = [
    { label: label('good'), action: { kind: 'feedback', good: true } },
    { label: label('bad'), action: { kind: 'feedback', good: false } },
    regenerate,
    ...(canContinue(ending) ? [continueButton] : []),
    ...others,
  ];
  return { buttons, steps, footer };
}
