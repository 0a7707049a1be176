import type { Attachment, TurnRef } from '../conversation/index.ts';
import { refOf, type TurnItem } from './turn-item.ts';

/** What people did to a question since it was asked. */
export type Mark = 'stopped' | 'edited' | 'deleted';

/** A question that waits for its turn. */
export type Waiting = {
  readonly turn: TurnRef;
  readonly question: string;
  readonly attachments: readonly Attachment[];
};

/** The question of an item if it was asked besides `turn`, and is neither answered, deleted, changed nor folded. */
export function waitingIn(item: TurnItem, turn: TurnRef): Waiting[] {
  if (item.body || item.into || item.mark || !item.ask || item.id.S === turn.message) return [];
  return [{ turn: refOf(item), question: item.ask.S, attachments: item.files ?? [] }];
}
