import type { CardAction, InteractionPayload, Modal, PlatformName } from '../domain/index.ts';
import { getFormTexts } from '../i18n/index.ts';
import { form as aboutForm, messageCommand as askAbout } from './definitions/ask-about.ts';
import { buildForm } from './forms/registry.ts';
import { parseCommand } from './arguments/parse-arguments.ts';
import { COMMANDS } from './command-list.ts';

/** Builds the modal that an interaction opens; undefined if the worker handles the interaction. `tag`: see `buildForm`. */
export function buildCommandForm(
  payload: InteractionPayload,
  platform: PlatformName,
  tag?: string,
): Modal | undefined {
  switch (payload.kind) {
    case 'action':
      return buildForm(payload.action, tag, payload.chosen);
    case 'command':
      return buildForm(findOpeningAction(payload, platform), tag);
    case 'on-message':
      return payload.name === askAbout.name ? aboutForm(payload.message, getFormTexts(tag)) : undefined;
    case 'form':
    case 'reacted':
    case 'home':
      return undefined;
  }
}

function findOpeningAction(
  payload: Extract<InteractionPayload, { kind: 'command' }>,
  platform: PlatformName,
): CardAction | undefined {
  const parsed = parseCommand(payload, platform, COMMANDS);
  return parsed.kind === 'command' ? parsed.spec.opens?.(parsed.options) : undefined;
}
