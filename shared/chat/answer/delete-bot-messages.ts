import type { ChatContext } from '../context.ts';
import type { MessageId, Thread } from '../../domain/index.ts';
import { errorName } from '../../utils/error-name.ts';

/** Takes messages of the bot down. One that cannot be is logged: what is kept of it goes all the same. */
export async function deleteBotMessages(
  thread: Thread,
  messages: readonly MessageId[],
  { messenger: stage, log }: Pick<ChatContext, 'messenger' | 'log'>,
  options = { hasFiles: true },
): Promise<void> {
  for (const message of messages) {
    await stage.removeCard(thread, message, options).catch((error: unknown) => {
      log('answer.message-delete-failed', { error: errorName(error) });
    });
  }
}

/**
 * Takes down the card with questions to ask next: one of them was used, another question was asked, or the answer above it is
 * made anew. Safe to repeat. Never rejects.
 */
export const deleteFollowUps = async (
  thread: Thread,
  card: MessageId | undefined,
  context: Pick<ChatContext, 'messenger' | 'log'>,
): Promise<void> => deleteBotMessages(thread, card === undefined ? [] : [card], context, { hasFiles: false });
