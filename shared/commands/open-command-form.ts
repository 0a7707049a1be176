import type { CardAction, InteractionPayload, Modal, PlatformName } from '../domain/index.ts';
import { getFormTexts } from '../i18n/index.ts';
import { form as aboutForm, onMessage as askAbout } from './definitions/ask-about.ts';
import { formOf } from './forms/registry.ts';
import { parseCommand } from './arguments/parse-arguments.ts';
import { COMMANDS } from './command-list.ts';

/** The form that a call opens; undefined for a call that the worker is to answer. `tag` as for `formOf`. */
export function commandForm(
  call: InteractionPayload,
  platform: PlatformName,
  tag?: string,
): Modal | undefined {
  switch (call.kind) {
    case 'action':
      return formOf(call.action, tag, call.chosen);
    case 'command':
      return formOf(askedFor(call, platform), tag);
    case 'on-message':
      return call.name === askAbout.name ? aboutForm(call.message, getFormTexts(tag)) : undefined;
    case 'form':
    case 'reacted':
    case 'home':
      return undefined;
  }
}

function askedFor(
  call: Extract<InteractionPayload, { kind: 'command' }>,
  platform: PlatformName,
): CardAction | undefined {
  const asked = parseCommand(call, platform, COMMANDS);
  return asked.kind === 'command' ? asked.spec.opens?.(asked.options) : undefined;
}
