import type { MessageId, Thread } from '../../domain/index.ts';
import { forgottenKey, numberValue } from '../keys/item-keys.ts';
import { deletionKey } from '../keys/recording-keys.ts';
import type { TurnTable } from './turn-table.ts';

/** Longer than a transcription waits: the queue keeps it for a day, and for another one after each step. */
const DELETION_TTL_DAYS = 7;

/** When the marker of a deletion that is written now expires (s). */
export const getDeletionExpiry = (table: TurnTable) =>
  numberValue(table.seconds() + DELETION_TTL_DAYS * 86_400);

/**
 * Stores that a question was forgotten: it is not asked again. Unlike `TurnSignals.rememberDeletion`, its message still exists, and recordings in it
 * can be transcribed.
 */
export async function rememberForgotten(table: TurnTable, thread: Thread, message: MessageId): Promise<void> {
  await table.create({ ...forgottenKey(thread, message), ttl: getDeletionExpiry(table) });
}

/** Returns those of these questions that were forgotten, or whose messages were deleted. Two consistent reads for each, all at once. */
export async function findDeleted(
  table: TurnTable,
  thread: Thread,
  messages: readonly MessageId[],
): Promise<ReadonlySet<MessageId>> {
  const isMarked = async (message: MessageId): Promise<boolean> => {
    const keys = [deletionKey({ thread, message }), forgottenKey(thread, message)];
    return (await Promise.all(keys.map((key) => table.get(key)))).some((item) => item !== undefined);
  };
  const marked = await Promise.all(messages.map(isMarked));
  return new Set(messages.filter((_, n) => marked[n]));
}
