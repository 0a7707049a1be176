import { localize } from '../../i18n/index.ts';
import { requestTranscription, TRANSCRIBE_MENU_COMMAND } from '../../voice/index.ts';
import { type InteractionRequest, type CommandHandler, replyCard, textCard } from '../framework/types.ts';
import { type MessageCommandSpec, type MessageCommandTexts } from '../framework/command-spec.ts';

export const messageCommand = {
  name: 'transcribe',
  label: 'Transcribe',
} as const satisfies MessageCommandSpec;

/** Queues the transcription of a message's recordings, or links to the existing transcripts. */
export const runMessageCommand: CommandHandler<InteractionRequest<'on-message'>> = async (
  request,
  context,
) => {
  const { locale, payload, interaction } = request;
  const { message } = payload;
  const outcome = await requestTranscription(
    { message, by: interaction.by, key: `call#${interaction.id}`, locale },
    context,
  );
  switch (outcome.kind) {
    case 'refused':
      return replyCard(request, textCard(outcome.sentence, 'bad'), context);
    case 'known':
      return replyCard(request, textCard(localize(locale, 'voice.already', { link: outcome.link })), context);
    case 'queued':
      return replyCard(request, textCard(localize(locale, 'voice.queued')), context);
  }
};

export const texts = {
  messageCommand: TRANSCRIBE_MENU_COMMAND,
} satisfies MessageCommandTexts;
