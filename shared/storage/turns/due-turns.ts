import type { Attachment, TurnRef } from '../../domain/index.ts';
import { parseTurnItem, getTurnRef } from './turn-item.ts';
import { type Item } from '../keys/item-keys.ts';

/**
 * A turn that needs a later check, because it was never queued or may be visible twice. `attempts`: how often
 * that check could not be queued.
 */
export type DueTurn =
  | {
      readonly kind: 'turn';
      readonly key: Item;
      readonly attempts: number;
      readonly turn: TurnRef;
      readonly reason: DueReason;
      readonly question: string;
      /** See `PendingQuestion`. */
      readonly attachments: readonly Attachment[] | undefined;
      /** The key of the edit that the question was recorded from. */
      readonly edit: string | undefined;
    }
  | { readonly kind: 'unreadable'; readonly key: Item; readonly attempts: number };

export type DueReason = 'unsent' | 'reconcile';

/** Converts a due item. Never throws: an unreadable item must not hide the others. */
export function toDueTurn(key: Item, reason: DueReason, item: Item): DueTurn {
  const attempts = Number(item['attempts']?.N ?? 0);
  try {
    const turnItem = parseTurnItem(item);
    const [turn, question, attachments] = [getTurnRef(turnItem), turnItem.ask?.S ?? '', turnItem.files];
    const edit = turnItem.edit?.S;
    return { kind: 'turn', key, attempts, turn, reason, question, attachments, edit };
  } catch {
    return { kind: 'unreadable', key, attempts };
  }
}
