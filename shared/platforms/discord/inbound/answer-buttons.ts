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
/** Roots of ours and of Discord's: see places.ts. */
const ROOT = /^[cpu]?\d{1,20}$/;
const ID = /^\d{1,20}$/;

/** What a pressed button of ours asks for, and about which answer. */
export type ParsedButton = {
  readonly root: MessageId;
  readonly message: MessageId;
  readonly press: ButtonAction;
};

/**
 * What a button under an answer carries: ids alone, for `readPress` to read days later, in another process. Undefined for
 * a model whose name is longer than Discord carries (100 characters): its button is left out.
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

/** Reads what `buttonCustomId` wrote. Undefined for what is no button of ours under an answer. */
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
