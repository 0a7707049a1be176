import type { ChatContext } from '../context.ts';
import type { MessageId, Thread } from '../../domain/index.ts';
import { errorName } from '../../utils/index.ts';

/** Deletes messages of the bot. A failure is only logged, so that stored data is removed anyway. */
export async function deleteBotMessages(
  thread: Thread,
  messages: readonly MessageId[],
  { messenger, log }: Pick<ChatContext, 'messenger' | 'log'>,
  options = { hasFiles: true },
): Promise<void> {
  for (const message of messages) {
    await messenger.removeCard(thread, message, options).catch((error: unknown) => {
      log('answer.message-delete-failed', { error: errorName(error) });
    });
  }
}

/**
 * Deletes the follow-up questions card: one was used, another question was asked, or the answer is regenerated. Idempotent.
 * Never rejects.
 */
export const deleteFollowUps = async (
  thread: Thread,
  card: MessageId | undefined,
  context: Pick<ChatContext, 'messenger' | 'log'>,
): Promise<void> => deleteBotMessages(thread, card === undefined ? [] : [card], context, { hasFiles: false });
