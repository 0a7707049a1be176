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
import { type InteractionContext, type CommandRun, replyCard } from '../framework/types.ts';
import type { MessageCommandSpec, OnMessageTexts } from '../framework/command-spec.ts';

/**
 * Opens a form with the commands for which Slack's menu of a message has no room: it takes five of an app. Calls by their own
 * names go on working, as apps of an older manifest make them.
 */
export const onMessage = {
  name: 'more-actions',
  label: 'More actions',
  platforms: ['slack'],
} as const satisfies MessageCommandSpec;

const RUN = 'more.run';

/** Whether a command of a message's menu is offered here instead of in Slack's menu itself. */
export const isUnderMore = ({ name }: Pick<MessageCommandSpec, 'name'>): boolean =>
  Object.hasOwn(MORE_ACTIONS, name);

const optionsIn = (locale: Locale): CardOption[] =>
  Object.entries(MORE_ACTIONS).map(([value, label]) => ({ value, label: label[locale] }));

/**
 * The form that it opens, for the front of Slack; undefined for any other call. Of the message it keeps where it stands, which
 * is all that these commands use. Comes back as `more.run`.
 */
export function formIn(call: InteractionPayload, tag?: string): Modal | undefined {
  if (call.kind !== 'on-message' || call.name !== onMessage.name) return undefined;
  const locale = toLocale(tag);
  return {
    title: MORE_ACTIONS_TITLE[locale],
    submit: GO_ON[locale],
    action: { name: RUN, args: placeOf(call.message) },
    fields: [{ id: 'action', label: WHICH_ACTION[locale], kind: 'choice', options: optionsIn(locale) }],
  };
}

const placeOf = ({ thread, id, author }: TargetMessage): string[] => [thread.root, id, author];

/** Where the form could not be opened in time: a button for each. */
export const runOnMessage: CommandRun<InteractionContext<'on-message'>> = (called, context) =>
  replyCard(called, cardOf(called.call.message, called.locale), context);

function cardOf(message: TargetMessage, locale: Locale): Card {
  const controls = optionsIn(locale).map(({ label, value }): CardControl => {
    const action = { name: RUN, args: [...placeOf(message), value] };
    return { kind: 'button', label, action };
  });
  return { title: MORE_ACTIONS_TITLE[locale], parts: [{ kind: 'controls', controls }] };
}

/**
 * The command that was chosen in the form or on the card, as if it had been called in the menu of the message; undefined for
 * anything else.
 */
export function chosenIn({
  call,
  ...caller
}: InteractionContext<'action' | 'form'>): InteractionContext<'on-message'> | undefined {
  const { platform, workspace, channel } = caller.invocation;
  const [root, id, author, pressed] = call.action.args;
  const name = call.kind === 'form' ? call.values['action'] : pressed;
  if (call.action.name !== RUN || !channel || !root || !id || !author) return undefined;
  if (name === undefined || !isUnderMore({ name })) return undefined;
  const thread = { platform, workspace, channel, root: messageId(root) };
  const message: TargetMessage = {
    thread,
    id: messageId(id),
    author: userId(author),
    text: '',
    attachments: [],
  };
  return { ...caller, call: { kind: 'on-message', name, message } };
}

export const texts = {
  onMessage: MORE_ACTIONS_TITLE,
} satisfies OnMessageTexts;
