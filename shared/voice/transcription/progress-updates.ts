import type { Card, MessageId, Thread } from '../../domain/index.ts';
import type { VoiceContext } from '../ports.ts';
import { getErrorFacts } from '../../utils/index.ts';

/** Minimum interval between updates of a card, except for the last. */
const UPDATE_INTERVAL_MS = 3_000;

export type ProgressUpdates = {
  /** Schedules an update; a newer one replaces it. Never throws: `finish` shows the final state anyway. */
  schedule(card: Card): void;
  /** Posts the final state, after all earlier updates. Rejects if it cannot be posted. */
  finish(card: Card): Promise<MessageId>;
};

/** Throttled updates of one card: one request at a time, only the newest state. `onFirstPost` receives the message of the card. */
export function createProgressUpdates(
  thread: Thread,
  key: string,
  { messenger, time, log }: Pick<VoiceContext, 'messenger' | 'time' | 'log'>,
  onFirstPost: (message: MessageId) => Promise<unknown>,
): ProgressUpdates {
  let message: MessageId | undefined;
  let next: Card | undefined;
  let running: Promise<void> | undefined;
  const finished = new AbortController();
  const post = async (card: Card): Promise<MessageId> => {
    const posted = message;
    message = await messenger.postCard(thread, card, key, posted);
    if (posted === undefined) await onFirstPost(message);
    return message;
  };
  const update = async (): Promise<void> => {
    while (next && !finished.signal.aborted) {
      const card = next;
      next = undefined;
      await post(card).catch((error: unknown) => log('voice.progress-update-failed', getErrorFacts(error)));
      await time.sleep(UPDATE_INTERVAL_MS, finished.signal).catch(() => undefined);
    }
    running = undefined;
  };
  return {
    schedule(card) {
      next = card;
      running ??= update();
    },
    async finish(card) {
      finished.abort();
      await running;
      return post(card);
    },
  };
}
