import type { InteractionPayload, Modal } from '../../domain/index.ts';
import { type FormTexts, getFormTexts, localize } from '../../i18n/index.ts';
import { runModelRequest } from '../framework/run-model-request.ts';
import { askPublicly, replyIfSilent } from './ask.ts';
import {
  type InteractionRequest,
  type CommandHandler,
  replyStale,
  replyCard,
  textCard,
} from '../framework/types.ts';
import type { MessageCommandSpec, MessageCommandTexts } from '../framework/command-spec.ts';

/** Opens a modal for a question about a message. */
export const messageCommand = {
  name: 'ask-about',
  label: 'Ask about this',
} as const satisfies MessageCommandSpec;

/** Slack's limit of a text input, in characters. */
const MAX_LENGTH = 3_000;

/**
 * The modal for a question about a message, whose text is in the modal. Its action is `ask.about`. Discord's modals are too small
 * for the text: its front stores the message in the table instead.
 */
export const form = (
  { text }: Pick<Extract<InteractionPayload, { kind: 'on-message' }>['message'], 'text'>,
  texts: FormTexts,
): Modal => ({
  title: texts('about'),
  submit: texts('send'),
  action: { name: 'ask.about', args: [] },
  fields: [
    {
      id: 'question',
      label: texts('question'),
      hint: texts('hint'),
      optional: true,
      kind: 'line',
      most: 1_000,
    },
    {
      id: 'message',
      label: texts('message'),
      optional: true,
      kind: 'paragraph',
      most: MAX_LENGTH,
      value: text,
    },
  ],
});

/** The modal could not be opened in time. */
export const runMessageCommand: CommandHandler<InteractionRequest<'on-message'>> = (request, context) =>
  replyCard(request, textCard(localize(request.locale, 'commands.form-unopened'), 'bad'), context);

/** Answers a submitted modal: ephemerally in Slack, publicly for a question from the menu card. Discord's front handles its own. */
export const onAction: CommandHandler<InteractionRequest<'action' | 'form'>> = async (
  request,
  context,
  delivery,
) => {
  const { payload, locale } = request;
  const silence = replyIfSilent(request, context);
  if (silence) return silence;
  if (payload.kind === 'form' && payload.action.name === 'ask.openly')
    return askPublicly(request, context, payload.values['question'] ?? '');
  if (payload.kind !== 'form' || payload.action.name !== 'ask.about') return replyStale(request, context);
  const texts = getFormTexts(locale);
  const { question = '', message = '' } = payload.values;
  const quoted = message === '' ? '' : `\n\n${texts('message')}\n${message.replaceAll(/^/gmu, '> ')}`;
  return runModelRequest(request, context, delivery, (question.trim() || texts('explain')) + quoted);
};

export const texts = {
  messageCommand: {
    en: 'Ask about this',
    de: 'Frage dazu stellen',
    fr: 'Poser une question',
    es: 'Preguntar sobre esto',
    pt: 'Perguntar sobre isto',
    ja: 'これについて質問',
    ko: '이것에 대해 묻기',
    zh: '就此提问',
  },
} satisfies MessageCommandTexts;
