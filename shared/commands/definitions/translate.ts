import { TRANSLATE_RECORDING } from '../../i18n/index.ts';
import type { CommandHandler, InteractionRequest } from '../framework/types.ts';
import type { MessageCommandSpec, MessageCommandTexts } from '../framework/command-spec.ts';
import { withAttachments } from '../forms/propose-on-message.ts';
import { translateMessage } from './recording-actions.ts';

export const messageCommand = {
  name: 'translate',
  label: 'Translate recording',
} as const satisfies MessageCommandSpec;

/** Shows the person the transcript of the recording in their language. */
export const runMessageCommand: CommandHandler<InteractionRequest<'on-message'>> = async (request, context) =>
  translateMessage(request, await withAttachments(request, context), { speak: false }, context);

export const texts = {
  messageCommand: TRANSLATE_RECORDING,
} satisfies MessageCommandTexts;
