import { SPEAK_TRANSLATION } from '../../i18n/index.ts';
import type { CommandHandler, InteractionRequest } from '../framework/types.ts';
import type { MessageCommandSpec, MessageCommandTexts } from '../framework/command-spec.ts';
import { withAttachments } from '../forms/propose-on-message.ts';
import { translateMessage } from './recording-actions.ts';

export const messageCommand = {
  name: 'speak',
  label: 'Speak translation',
} as const satisfies MessageCommandSpec;

/** Posts the translation of the recording as audio in its thread. */
export const runMessageCommand: CommandHandler<InteractionRequest<'on-message'>> = async (request, context) =>
  translateMessage(request, await withAttachments(request, context), { speak: true }, context);

export const texts = {
  messageCommand: SPEAK_TRANSLATION,
} satisfies MessageCommandTexts;
