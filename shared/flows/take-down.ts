import type { MessageId, Thread } from '../conversation/index.ts';
import type { Deps } from './ports.ts';

/** Takes messages of the bot down. One that cannot be is logged: what is kept of it goes all the same. */
export async function takeDown(
  thread: Thread,
  messages: readonly MessageId[],
  { stage, log }: Pick<Deps, 'stage' | 'log'>,
): Promise<void> {
  for (const message of messages) {
    await stage.removeCard(thread, message).catch((error: unknown) => {
      log('card.stays', { error: error instanceof Error ? error.name : 'unknown' });
    });
  }
}
