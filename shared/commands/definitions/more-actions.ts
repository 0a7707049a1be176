import {
  type InteractionPayload,
  type Card,
  type CardControl,
  type Modal,
  messageId,
  type CardOption,
  type TargetMessage,
  userId,
} from '../../domain/index.ts';
import {
  GO_ON,
  MORE_ACTIONS,
  MORE_ACTIONS_TITLE,
  WHICH_ACTION,
  type Locale,
  toLocale,
} from '../../i18n/index.ts';
import { type InteractionRequest, type CommandHandler, replyCard } from '../framework/types.ts';
import type { MessageCommandSpec, MessageCommandTexts } from '../framework/command-spec.ts';

/**
 * Opens a modal with further message commands: Slack allows five message shortcuts per app. Shortcuts with the commands' own
 * names keep working, since apps with an older manifest have them.
 */
export const messageCommand = {
  name: 'more-actions',
  label: 'More actions',
  platforms: ['slack'],
} as const satisfies MessageCommandSpec;

const RUN = 'more.run';

/** Returns whether a message command is in this modal instead of Slack's menu. */
export const isMoreAction = ({ name }: Pick<MessageCommandSpec, 'name'>): boolean =>
  Object.hasOwn(MORE_ACTIONS, name);

const listOptions = (locale: Locale): CardOption[] =>
  Object.entries(MORE_ACTIONS).map(([value, label]) => ({ value, label: label[locale] }));

/**
 * Builds the modal, for Slack's front; undefined for other interactions. It contains the position of the message, which is all
 * that these commands need. Its action is `more.run`.
 */
export function buildMoreActionsForm(payload: InteractionPayload, tag?: string): Modal | undefined {
  if (payload.kind !== 'on-message' || payload.name !== messageCommand.name) return undefined;
  const locale = toLocale(tag);
  return {
    title: MORE_ACTIONS_TITLE[locale],
    submit: GO_ON[locale],
    action: { name: RUN, args: toArguments(payload.message) },
    fields: [{ id: 'action', label: WHICH_ACTION[locale], kind: 'choice', options: listOptions(locale) }],
  };
}

const toArguments = ({ thread, id, author }: TargetMessage): string[] => [thread.root, id, author];

/** Shows buttons instead, if the modal could not be opened in time. */
export const runMessageCommand: CommandHandler<InteractionRequest<'on-message'>> = (request, context) =>
  replyCard(request, createCard(request.payload.message, request.locale), context);

function createCard(message: TargetMessage, locale: Locale): Card {
  const controls = listOptions(locale).map(({ label, value }): CardControl => {
    const action = { name: RUN, args: [...toArguments(message), value] };
    return { kind: 'button', label, action };
  });
  return { title: MORE_ACTIONS_TITLE[locale], parts: [{ kind: 'controls', controls }] };
}

/**
 * Converts the selection in the modal or on the card to the message command, as if chosen in the message's menu; undefined for
 * other actions.
 */
export function toMessageCommand({
  payload,
  ...caller
}: InteractionRequest<'action' | 'form'>): InteractionRequest<'on-message'> | undefined {
  const { platform, workspace, channel } = caller.interaction;
  const [root, id, author, buttonName] = payload.action.args;
  const name = payload.kind === 'form' ? payload.values['action'] : buttonName;
  if (payload.action.name !== RUN || !channel || !root || !id || !author) return undefined;
  if (name === undefined || !isMoreAction({ name })) return undefined;
  const thread = { platform, workspace, channel, root: messageId(root) };
  const message: TargetMessage = {
    thread,
    id: messageId(id),
    author: userId(author),
    text: '',
    attachments: [],
  };
  return { ...caller, payload: { kind: 'on-message', name, message } };
}

export const texts = {
  messageCommand: MORE_ACTIONS_TITLE,
} satisfies MessageCommandTexts;
