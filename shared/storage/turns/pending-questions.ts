import type { Attachment, TurnRef } from '../../domain/index.ts';
import { turnRefOf, type TurnItem } from './turn-item.ts';

/** A signal to the worker of a turn: what people did to the question. */
export type TurnSignal = 'stopped' | 'edited' | 'deleted';

/** The signal of a turn. `key` distinguishes signals of one kind: for an edit it is the key of its task. */
export type StoredSignal = { readonly signal: TurnSignal; readonly key: string | undefined };

export const signalIn = ({ mark, wish }: Pick<TurnItem, 'mark' | 'wish'>): StoredSignal | undefined =>
  mark && { signal: mark.S, key: wish?.S };

/** A question that was not answered yet. */
export type PendingQuestion = {
  readonly turn: TurnRef;
  readonly question: string;
  readonly attachments: readonly Attachment[];
};

/**
 * Returns the question of an item if it is not `turn` and is neither answered, deleted, edited nor merged. A
 * question that could not be queued is left out: it may be deleted, which its own task checks. So is a question
 * that may have part of an answer in a message of its own: only its own task completes that message.
 */
export function pendingQuestionsIn(item: TurnItem, turn: TurnRef): PendingQuestion[] {
  if (item.open?.S === 'unsent') return [];
  if (item.body || item.into || item.mark || !item.ask || item.id.S === turn.message) return [];
  if (item.posted || (item.fence ?? 0) !== (item.untouched ?? 0)) return [];
  return [{ turn: turnRefOf(item), question: item.ask.S, attachments: item.files ?? [] }];
}
