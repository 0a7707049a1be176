import { type Action, type Call, type Form, opensForm, type PlatformName } from '../../conversation/index.ts';
import { type FormTexts, formTexts } from '../../texts/forms/index.ts';
import { form as aboutForm, spec as askAbout } from './ask-about.ts';
import { form as keyForm } from './key-form.ts';
import { form as personaForm } from './persona-form.ts';
import { heardForm, questionForm } from './question-form.ts';
import { readCommand } from './read.ts';
import { form as schemaForm } from './schema-form.ts';
import { form as settingForm } from './settings-form.ts';
import { COMMANDS } from './specs.ts';

/** Builds a form of the args of the action that opens it. Pure: a front opens it before anything was looked up. */
export type OfArgs = (args: readonly string[], texts: FormTexts) => Form;

/** By the action that opens it, whose name ends in `-form`. */
const OF_ACTIONS: Readonly<Record<string, OfArgs>> = {
  'key.set-form': keyForm,
  'ask.open-form': questionForm,
  'persona.save-form': personaForm,
  'schema.save-form': schemaForm,
  'settings.set-form': settingForm,
  'voice.ask-form': heardForm,
};

/**
 * The form that a call opens; undefined for a call that the worker is to answer. `tag` is the person's language (BCP 47),
 * English where it is not known.
 */
export function formFor(call: Call, platform: PlatformName, tag?: string): Form | undefined {
  const texts = formTexts(tag);
  switch (call.kind) {
    case 'action':
      return ofAction(call.action, texts);
    case 'command':
      return ofAction(askedFor(call, platform), texts);
    case 'on-message':
      return call.name === askAbout.name ? aboutForm(call.message, texts) : undefined;
    case 'form':
    case 'reacted':
    case 'home':
      return undefined;
  }
}

function ofAction(action: Action | undefined, texts: FormTexts): Form | undefined {
  return action && opensForm(action) ? OF_ACTIONS[action.name]?.(action.args, texts) : undefined;
}

function askedFor(call: Extract<Call, { kind: 'command' }>, platform: PlatformName): Action | undefined {
  const asked = readCommand(call, platform, COMMANDS);
  return asked.kind === 'command' ? asked.spec.opens?.(asked.options) : undefined;
}
