import type { Card, MessageId, Thread } from '../../domain/index.ts';
import type { VoiceContext } from '../ports.ts';
import { errorName } from '../../utils/error-name.ts';

/** A card changes no more often than this, but for its last time. */
const UPDATE_INTERVAL_MS = 3_000;

export type ProgressUpdates = {
  /** Shows this when its time has come, unless something newer is there by then. Never throws: `last` makes up for it. */
  soon(card: Card): void;
  /** Shows this, after all that was shown before. Rejects when it cannot be shown. */
  last(card: Card): Promise<MessageId>;
};

/** One card that changes while the work goes on: one call at a time, the newest state only. `first` is told where it stands. */
export function progressUpdates(
  thread: Thread,
  key: string,
  { messenger: stage, time, log }: Pick<VoiceContext, 'messenger' | 'time' | 'log'>,
  first: (message: MessageId) => Promise<unknown>,
): ProgressUpdates {
  let message: MessageId | undefined;
  let next: Card | undefined;
  let running: Promise<void> | undefined;
  const over = new AbortController();
  const show = async (card: Card): Promise<MessageId> => {
    const known = message;
    message = await stage.postCard(thread, card, key, known);
    if (known === undefined) await first(message);
    return message;
  };
  const rounds = async (): Promise<void> => {
    while (next && !over.signal.aborted) {
      const card = next;
      next = undefined;
      await show(card).catch((error: unknown) =>
        log('voice.progress-update-failed', { error: errorName(error) }),
      );
      await time.sleep(UPDATE_INTERVAL_MS, over.signal).catch(() => undefined);
    }
    running = undefined;
  };
  return {
    soon(card) {
      next = card;
      running ??= rounds();
    },
    async last(card) {
      over.abort();
      await running;
      return show(card);
    },
  };
}
