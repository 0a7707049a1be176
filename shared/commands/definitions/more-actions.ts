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
 * Opens a form with the commands for which Slack's menu of a message has no room: it takes five of an app. Calls by their own
 * names go on working, as apps of an older manifest make them.
 */
export const messageCommand = {
  name: 'more-actions',
  label: 'More actions',
  platforms: ['slack'],
} as const satisfies MessageCommandSpec;

const RUN = 'more.run';

/** Whether a command of a message's menu is offered here instead of in Slack's menu itself. */
export const isMoreAction = ({ name }: Pick<MessageCommandSpec, 'name'>): boolean =>
  Object.hasOwn(MORE_ACTIONS, name);

const listOptions = (locale: Locale): CardOption[] =>
  Object.entries(MORE_ACTIONS).map(([value, label]) => ({ value, label: label[locale] }));

/**
 * The form that it opens, for the front of Slack; undefined for any other call. Of the message it keeps where it stands, which
 * is all that these commands use. Comes back as `more.run`.
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

/** Where the form could not be opened in time: a button for each. */
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
 * The command that was chosen in the form or on the card, as if it had been called in the menu of the message; undefined for
 * anything else.
 */
export function toMessageCommand({
  payload,
  ...caller
}: InteractionRequest<'action' | 'form'>): InteractionRequest<'on-message'> | undefined {
  const { platform, workspace, channel } = caller.interaction;
  const [root, id, author, pressed] = payload.action.args;
  const name = payload.kind === 'form' ? payload.values['action'] : pressed;
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
