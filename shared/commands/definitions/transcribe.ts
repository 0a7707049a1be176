import { localize } from '../../i18n/index.ts';
import { requestTranscription, TRANSCRIBE_MENU_COMMAND } from '../../voice/index.ts';
import { type InteractionContext, type CommandRun, replyCard, textCard } from '../framework/types.ts';
import { type MessageCommandSpec, type OnMessageTexts } from '../framework/command-spec.ts';

export const onMessage = {
  name: 'transcribe',
  label: 'Transcribe',
} as const satisfies MessageCommandSpec;

/** Has the recordings of a message written out under it; those that are already, are linked to. */
export const runOnMessage: CommandRun<InteractionContext<'on-message'>> = async (called, context) => {
  const { locale, call, invocation } = called;
  const { message } = call;
  const outcome = await requestTranscription(
    { message, by: invocation.by, key: `call#${invocation.id}`, locale },
    context,
  );
  switch (outcome.kind) {
    case 'refused':
      return replyCard(called, textCard(outcome.sentence, 'bad'), context);
    case 'known':
      return replyCard(called, textCard(localize(locale, 'voice.already', { link: outcome.link })), context);
    case 'queued':
      return replyCard(called, textCard(localize(locale, 'voice.queued')), context);
  }
};

export const texts = {
  onMessage: TRANSCRIBE_MENU_COMMAND,
} satisfies OnMessageTexts;
