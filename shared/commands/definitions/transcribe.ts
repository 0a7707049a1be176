import { TRANSCRIBE_MENU_COMMAND } from '../../voice/index.ts';
import type { InteractionRequest, CommandHandler } from '../framework/types.ts';
import { type MessageCommandSpec, type MessageCommandTexts } from '../framework/command-spec.ts';
import { transcribeMessage } from './recording-actions.ts';

export const messageCommand = {
  name: 'transcribe',
  label: 'Transcribe',
} as const satisfies MessageCommandSpec;

/** Queues the transcription of a message's recordings, or links to the existing transcripts. */
export const runMessageCommand: CommandHandler<InteractionRequest<'on-message'>> = (request, context) =>
  transcribeMessage(request, request.payload.message, undefined, context);

export const texts = {
  messageCommand: TRANSCRIBE_MENU_COMMAND,
} satisfies MessageCommandTexts;
