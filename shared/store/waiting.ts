import type { Attachment, TurnRef } from '../conversation/index.ts';
import { refOf, type TurnItem } from './turn-item.ts';

/** What people did to a question since it was asked. */
export type Mark = 'stopped' | 'edited' | 'deleted';

/** A mark as it stands on a turn. `wish` tells it from another of its kind: of an edit it is the key of its task. */
export type Marked = { readonly mark: Mark; readonly wish: string | undefined };

export const markedIn = ({ mark, wish }: Pick<TurnItem, 'mark' | 'wish'>): Marked | undefined =>
  mark && { mark: mark.S, wish: wish?.S };

/** A question that waits for its turn. */
export type Waiting = {
  readonly turn: TurnRef;
  readonly question: string;
  readonly attachments: readonly Attachment[];
};

/**
 * The question of an item if it was asked besides `turn`, and is neither answered, deleted, changed nor folded. One that could not be queued may have been
 * deleted before it was on record: its own task looks.
 */
export function waitingIn(item: TurnItem, turn: TurnRef): Waiting[] {
  if (item.open?.S === 'unsent') return [];
  if (item.body || item.into || item.mark || !item.ask || item.id.S === turn.message) return [];
  return [{ turn: refOf(item), question: item.ask.S, attachments: item.files ?? [] }];
}
