import {
  type CardAction,
  serializeAction,
  type MessageId,
  messageId,
  parseAction,
  type ButtonAction,
  type TurnRef,
} from '../../../domain/index.ts';
import type { TurnCommand } from '../../ports/index.ts';

const AREA = 'press';
/** Root ids of our own conversations and of Discord's threads: see conversation-key.ts. */
const ROOT = /^[cpu]?\d{1,20}$/;
const ID = /^\d{1,20}$/;

/** The action of a pressed button, and the answer that it belongs to. */
export type ParsedButton = {
  readonly root: MessageId;
  readonly message: MessageId;
  readonly action: ButtonAction;
};

/**
 * Builds the custom id of a button below an answer. It consists of ids only, so that `parseButton` can read it days later in another
 * process. Undefined if it is longer than 100 characters, Discord's limit, due to the name of a model: that button is left out.
 */
export function buttonCustomId(
  { thread, message }: TurnRef,
  action: ButtonAction | TurnCommand,
): string | undefined {
  const { name, args } =
    action.kind === 'command' ? { name: action.name, args: [] } : toPressed(toCardAction(action));
  try {
    return serializeAction({ name, args: [thread.root, message, ...args] });
  } catch {
    return undefined;
  }
}

const toPressed = ({ name, args }: CardAction): CardAction => ({ name: `${AREA}.${name}`, args });

function toCardAction(action: ButtonAction): CardAction {
  switch (action.kind) {
    case 'feedback':
      return { name: action.good ? 'good' : 'bad', args: [] };
    case 'regenerate':
      return { name: 'regenerate', args: action.model === undefined ? [] : [action.model] };
    case 'version':
      return { name: 'version', args: action.choice === undefined ? [] : [action.choice] };
    case 'stop':
    case 'continue':
      return { name: action.kind, args: [] };
  }
}

/** Reads a custom id of `buttonCustomId`. Undefined for others. */
export function parseButton(customId: string): ParsedButton | undefined {
  const parsed = parseAction(customId);
  const [area, name] = parsed?.name.split('.') ?? [];
  const [root = '', message = '', model] = parsed?.args ?? [];
  if (area !== AREA || !ROOT.test(root) || !ID.test(message)) return undefined;
  const action = toButtonAction(name, model);
  return action && { root: messageId(root), message: messageId(message), action };
}

function toButtonAction(name: string | undefined, model: string | undefined): ButtonAction | undefined {
  switch (name) {
    case 'stop':
    case 'continue':
      return { kind: name };
    case 'good':
    case 'bad':
      return { kind: 'feedback', good: name === 'good' };
    case 'regenerate':
      return { kind: name, model };
    case 'version':
      return { kind: name, choice: model };
    case undefined:
    default:
      return undefined;
  }
}
