import type { Attachment, TurnRef } from '../../domain/index.ts';
import { turnKey, numberValue } from '../keys/turn-keys.ts';
import { type TurnKey, type TurnWrites, resultIfConditionMet } from './turn-writes.ts';
import type { TurnSignal } from './pending-questions.ts';

/**
 * Pending questions up to this size are stored with the turn, so that they can be answered together with
 * others. Longer ones would make every write more expensive, and are answered separately.
 */
const MAX_MERGEABLE_BYTES = 600;

/**
 * Records a message that will be answered. Idempotent. Without `question` it is answered separately, whatever
 * else is pending in its thread.
 */
export async function acceptTurn(
  writes: TurnWrites,
  ref: TurnRef,
  question: string | undefined,
  attachments: readonly Attachment[] = [],
): Promise<void> {
  const files = attachments.length > 0 ? JSON.stringify(attachments) : undefined;
  const isMergeable =
    Buffer.byteLength(question ?? '') + Buffer.byteLength(files ?? '') <= MAX_MERGEABLE_BYTES;
  await writes.create({
    ...turnKey(ref.thread, ref.message),
    id: { S: ref.message },
    by: { S: ref.asker },
    ws: { S: ref.askerWorkspace },
    ...(isMergeable && question !== undefined ? { ask: { S: question } } : {}),
    ...(isMergeable && files !== undefined ? { files: { S: files } } : {}),
    ttl: numberValue(writes.expiry()),
  });
}

/**
 * The signal was stored. `receipt`: the receipt handle of the turn's waiting task; it must be made visible
 * again.
 */
export type SignalResult = { readonly receipt: string | undefined };

/**
 * Signals the current or next worker of a turn. Undefined if nothing was stored, because the turn has ended and
 * is not being answered again.
 */
export function signalTurn(
  writes: TurnWrites,
  turn: TurnKey,
  signal: TurnSignal,
  key = `${writes.now()}`,
): Promise<SignalResult | undefined> {
  const open = '(attribute_not_exists(body) OR lease > :now OR attribute_exists(receipt))';
  // A late edit event must not restore a deleted question.
  const condition = `attribute_exists(pk) AND ${open} AND (attribute_not_exists(mark) OR mark <> :gone)`;
  const values = {
    ':mark': { S: signal },
    ':wish': { S: key },
    ':now': numberValue(writes.now()),
    ':gone': { S: 'deleted' satisfies TurnSignal },
  };
  const update = writes.updateTurn(turn, 'SET mark = :mark, wish = :wish', condition, values);
  return resultIfConditionMet(update.then((item) => ({ receipt: item?.['receipt']?.S })));
}
