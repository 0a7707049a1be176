import type { Attachment, TurnRef } from '../../domain/index.ts';
import { refOf, type TurnItem } from './turn-item.ts';

/** What people did to a question since it was asked. */
export type TurnSignal = 'stopped' | 'edited' | 'deleted';

/** A mark as it stands on a turn. `wish` tells it from another of its kind: of an edit it is the key of its task. */
export type SignalledTurn = { readonly mark: TurnSignal; readonly wish: string | undefined };

export const signalsIn = ({ mark, wish }: Pick<TurnItem, 'mark' | 'wish'>): SignalledTurn | undefined =>
  mark && { mark: mark.S, wish: wish?.S };

/** A question that waits for its turn. */
export type PendingQuestion = {
  readonly turn: TurnRef;
  readonly question: string;
  readonly attachments: readonly Attachment[];
};

/**
 * The question of an item if it was asked besides `turn`, and is neither answered, deleted, changed nor folded. One that could not be queued may have been
 * deleted before it was on record: its own task looks.
 */
export function pendingQuestionsIn(item: TurnItem, turn: TurnRef): PendingQuestion[] {
  if (item.open?.S === 'unsent') return [];
  if (item.body || item.into || item.mark || !item.ask || item.id.S === turn.message) return [];
  return [{ turn: refOf(item), question: item.ask.S, attachments: item.files ?? [] }];
}
