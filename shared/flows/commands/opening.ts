import type { Action, Call, Form, PlatformName } from '../../conversation/index.ts';
import { formTexts } from '../../texts/forms/index.ts';
import { form as aboutForm, onMessage as askAbout } from './ask-about.ts';
import { formOf } from './forms.ts';
import { readCommand } from './read.ts';
import { COMMANDS } from './all.ts';

/** The form that a call opens; undefined for a call that the worker is to answer. `tag` as for `formOf`. */
export function formFor(call: Call, platform: PlatformName, tag?: string): Form | undefined {
  switch (call.kind) {
    case 'action':
      return formOf(call.action, tag, call.chosen);
    case 'command':
      return formOf(askedFor(call, platform), tag);
    case 'on-message':
      return call.name === askAbout.name ? aboutForm(call.message, formTexts(tag)) : undefined;
    case 'form':
    case 'reacted':
    case 'home':
      return undefined;
  }
}

function askedFor(call: Extract<Call, { kind: 'command' }>, platform: PlatformName): Action | undefined {
  const asked = readCommand(call, platform, COMMANDS);
  return asked.kind === 'command' ? asked.spec.opens?.(asked.options) : undefined;
}
