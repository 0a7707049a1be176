import { type CardAction, type Modal, opensModal } from '../../domain/index.ts';
import { type FormTexts, getFormTexts } from '../../i18n/index.ts';
import { form as keyForm } from './key-form.ts';
import { form as personaForm } from './persona-form.ts';
import { createTranscriptForm, createQuestionForm } from './question-form.ts';
import { form as schemaForm } from './schema-form.ts';
import { form as settingForm } from './settings-form.ts';

/** Builds a modal from the arguments of the action that opens it. Pure: a front opens it without any lookup. */
export type BuildForm = (args: readonly string[], texts: FormTexts) => Modal;

/** The modals by the action that opens them. Such names end in `-form`. */
const FORMS: Readonly<Record<string, BuildForm>> = {
  'key.set-form': keyForm,
  'ask.open-form': createQuestionForm,
  'persona.save-form': personaForm,
  'schema.save-form': schemaForm,
  'settings.set-form': settingForm,
  'voice.ask-form': createTranscriptForm,
};

/**
 * Builds the modal that an action opens; undefined if it opens none of these. `tag` is the person's locale (BCP 47), English if
 * absent; `chosen` is the selection in a menu, which counts as further arguments.
 */
export function buildForm(
  action: CardAction | undefined,
  tag?: string,
  chosen: readonly string[] = [],
): Modal | undefined {
  if (!action || !opensModal(action)) return undefined;
  return FORMS[action.name]?.([...action.args, ...chosen], getFormTexts(tag));
}
