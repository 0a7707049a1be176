import {
  type CardAction,
  serializeAction,
  type MessageId,
  messageId,
  parseAction,
  type ButtonAction,
  type TurnRef,
} from '../../../domain/index.ts';

const AREA = 'press';
/** Root ids of our own conversations and of Discord's threads: see conversation-key.ts. */
const ROOT = /^[cpu]?\d{1,20}$/;
const ID = /^\d{1,20}$/;

/** The action of a pressed button, and the answer that it belongs to. */
export type ParsedButton = {
  readonly root: MessageId;
  readonly message: MessageId;
  readonly press: ButtonAction;
};

/**
 * Builds the custom id of a button below an answer. It consists of ids only, so that `parseButton` can read it days later in another
 * process. Undefined if it is longer than 100 characters, Discord's limit, due to the name of a model: that button is left out.
 */
export function buttonCustomId({ thread, message }: TurnRef, press: ButtonAction): string | undefined {
  const { name, args } = partsOf(press);
  try {
    return serializeAction({ name: `${AREA}.${name}`, args: [thread.root, message, ...args] });
  } catch {
    return undefined;
  }
}

function partsOf(press: ButtonAction): CardAction {
  switch (press.kind) {
    case 'feedback':
      return { name: press.good ? 'good' : 'bad', args: [] };
    case 'regenerate':
      return { name: 'regenerate', args: press.model === undefined ? [] : [press.model] };
    case 'stop':
    case 'continue':
      return { name: press.kind, args: [] };
  }
}

/** Reads a custom id of `buttonCustomId`. Undefined for others. */
export function parseButton(customId: string): ParsedButton | undefined {
  const action = parseAction(customId);
  const [area, name] = action?.name.split('.') ?? [];
  const [root = '', message = '', model] = action?.args ?? [];
  if (area !== AREA || !ROOT.test(root) || !ID.test(message)) return undefined;
  const press = pressOf(name, model);
  return press && { root: messageId(root), message: messageId(message), press };
}

function pressOf(name: string | undefined, model: string | undefined): ButtonAction | undefined {
  switch (name) {
    case 'stop':
    case 'continue':
      return { kind: name };
    case 'good':
    case 'bad':
      return { kind: 'feedback', good: name === 'good' };
    case 'regenerate':
      return { kind: 'regenerate', model };
    case undefined:
    default:
      return undefined;
  }
}
