import { EDIT_PICTURE } from '../../i18n/index.ts';
import { EDIT } from '../forms/video-form.ts';
import type { CommandHandler, InteractionRequest } from '../framework/types.ts';
import type { MessageCommandSpec, MessageCommandTexts } from '../framework/command-spec.ts';
import { proposeOnMessage } from '../forms/propose-on-message.ts';

export const messageCommand = {
  name: EDIT,
  label: 'Edit this picture',
} as const satisfies MessageCommandSpec;

/** Proposes an edit of the first picture of a message, where the front could not open the form. */
export const runMessageCommand: CommandHandler<InteractionRequest<'on-message'>> = (request, context) =>
  proposeOnMessage(request, 'edit', context);

export const texts = {
  messageCommand: EDIT_PICTURE,
} satisfies MessageCommandTexts;
