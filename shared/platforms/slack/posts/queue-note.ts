import type { TurnRef } from '../../../domain/index.ts';
import type { SlackDeps } from '../deps.ts';
import { postEphemeral } from './ephemeral.ts';

/** A question that goes back to the queue waits again, and its note still stands there. */
const TELL_AGAIN_AFTER_MS = 10 * 60_000;

/**
 * Tells who asked, by a message that they alone see, what their question waits for ("Parley is waiting in line: …"): once, where
 * a status would take the place of Slack's Stop. Never rejects.
 */
export function queueNotifier(deps: Pick<SlackDeps, 'call' | 'log' | 'time'>) {
  const toldAt = new Map<string, number>();
  return async (turn: TurnRef, words: string): Promise<void> => {
    const now = deps.time.now();
    for (const [key, at] of toldAt) if (now - at >= TELL_AGAIN_AFTER_MS) toldAt.delete(key);
    const key = `${turn.thread.channel}#${turn.message}`;
    if (toldAt.has(key)) return;
    toldAt.set(key, now);
    await postEphemeral(deps, turn, turn.asker, `⏳ Parley ${words}`, true);
  };
}
