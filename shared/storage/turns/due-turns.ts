import type { Attachment, TurnRef } from '../../domain/index.ts';
import { type Item, readItem, refOf } from './turn-item.ts';

/**
 * A turn that needs a later look, and why: it was never queued, or may be visible twice. `attempts`: how often that look could
 * not be queued.
 */
export type DueTurn =
  | {
      readonly kind: 'turn';
      readonly key: Item;
      readonly attempts: number;
      readonly turn: TurnRef;
      readonly why: DueWhy;
      readonly question: string;
      readonly attachments: readonly Attachment[];
    }
  /** Its item cannot be read. */
  | { readonly kind: 'unreadable'; readonly key: Item; readonly attempts: number };

export type DueWhy = 'unsent' | 'reconcile';

/** One item that cannot be read must not hide the others. */
export function readDue(key: Item, why: DueWhy, item: Item): DueTurn {
  const attempts = Number(item['attempts']?.N ?? 0);
  try {
    const read = readItem(item);
    const [turn, question, attachments] = [refOf(read), read.ask?.S ?? '', read.files ?? []];
    return { kind: 'turn', key, attempts, turn, why, question, attachments };
  } catch {
    return { kind: 'unreadable', key, attempts };
  }
}
