import type { Attachment, TurnRef } from '../../domain/index.ts';
import { keyOf, numeral } from './turn-keys.ts';
import { type TurnKey, type TurnWrites, ignoreRefusedCondition } from './turn-writes.ts';
import type { TurnSignal } from './pending-questions.ts';

/**
 * Questions up to this many bytes are kept on record while they wait, to be answered together with others. Longer ones
 * would make every write of the record dearer, and are answered one by one.
 */
const SHORT = 600;

/**
 * Writes down that a message is to be answered. Repeated for the same message, it changes nothing. A question that is
 * not given is answered by itself, whatever else waits in its thread.
 */
export async function acceptTurn(
  writes: TurnWrites,
  ref: TurnRef,
  question: string | undefined,
  attachments: readonly Attachment[] = [],
): Promise<void> {
  const files = attachments.length > 0 ? JSON.stringify(attachments) : undefined;
  const short = Buffer.byteLength(question ?? '') + Buffer.byteLength(files ?? '') <= SHORT;
  await writes.create({
    ...keyOf(ref.thread, ref.message),
    id: { S: ref.message },
    by: { S: ref.asker },
    ws: { S: ref.askerWorkspace },
    ...(short && question !== undefined ? { ask: { S: question } } : {}),
    ...(short && files !== undefined ? { files: { S: files } } : {}),
    ttl: numeral(writes.expiry()),
  });
}

/** Whoever answers a turn hears what happened to it. `receipt`: once the hidden message of its task, which waits, is shown again. */
export type SignalResult = { readonly receipt: string | undefined };

/**
 * Tells the worker that answers a turn, or will, what happened to it. A turn that has ended, and is not being answered anew just now, is left
 * as it is: undefined.
 */
export function signalTurn(
  writes: TurnWrites,
  turn: TurnKey,
  mark: TurnSignal,
  wish = `${writes.now()}`,
): Promise<SignalResult | undefined> {
  const open = '(attribute_not_exists(body) OR lease > :now OR attribute_exists(receipt))';
  // An edit that is told of late must not bring back what was deleted.
  const may = `attribute_exists(pk) AND ${open} AND (attribute_not_exists(mark) OR mark <> :gone)`;
  const values = {
    ':mark': { S: mark },
    ':wish': { S: wish },
    ':now': numeral(writes.now()),
    ':gone': { S: 'deleted' satisfies TurnSignal },
  };
  const marked = writes.change(turn, 'SET mark = :mark, wish = :wish', may, values);
  return ignoreRefusedCondition(marked.then((item) => ({ receipt: item?.['receipt']?.S })));
}
