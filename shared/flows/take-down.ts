import type { MessageId, Thread } from '../conversation/index.ts';
import type { Deps } from './ports.ts';

/** Takes messages of the bot down. One that cannot be is logged: what is kept of it goes all the same. */
export async function takeDown(
  thread: Thread,
  messages: readonly MessageId[],
  { stage, log }: Pick<Deps, 'stage' | 'log'>,
  options = { hasFiles: true },
): Promise<void> {
  for (const message of messages) {
    await stage.removeCard(thread, message, options).catch((error: unknown) => {
      log('card.stays', { error: error instanceof Error ? error.name : 'unknown' });
    });
  }
}

/**
 * Takes down the card with questions to ask next: one of them was used, another question was asked, or the answer above it is
 * made anew. Safe to repeat. Never rejects.
 */
export const takeDownFollowUps = async (
  thread: Thread,
  card: MessageId | undefined,
  deps: Pick<Deps, 'stage' | 'log'>,
): Promise<void> => takeDown(thread, card === undefined ? [] : [card], deps, { hasFiles: false });
