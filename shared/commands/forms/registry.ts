import { type CardAction, type Modal, opensModal } from '../../domain/index.ts';
import { type FormTexts, getFormTexts } from '../../i18n/index.ts';
import { form as keyForm } from './key-form.ts';
import { form as personaForm } from './persona-form.ts';
import { transcriptForm, questionForm } from './question-form.ts';
import { form as schemaForm } from './schema-form.ts';
import { form as settingForm } from './settings-form.ts';

/** Builds a form of the args of the action that opens it. Pure: a front opens it before anything was looked up. */
export type BuildForm = (args: readonly string[], texts: FormTexts) => Modal;

/** By the action that opens it, whose name ends in `-form`. */
const FORMS: Readonly<Record<string, BuildForm>> = {
  'key.set-form': keyForm,
  'ask.open-form': questionForm,
  'persona.save-form': personaForm,
  'schema.save-form': schemaForm,
  'settings.set-form': settingForm,
  'voice.ask-form': transcriptForm,
};

/**
 * The form that an action opens, if it opens one from here. `tag` is the person's language (BCP 47), English where it is not
 * known; `chosen` is what they chose in a menu, which is as good as a further argument.
 */
export function buildForm(
  action: CardAction | undefined,
  tag?: string,
  chosen: readonly string[] = [],
): Modal | undefined {
  if (!action || !opensModal(action)) return undefined;
  return FORMS[action.name]?.([...action.args, ...chosen], getFormTexts(tag));
}
