import type { TurnRef } from '../../../domain/index.ts';
import type { SlackDeps } from '../deps.ts';
import { postEphemeral } from './ephemeral.ts';

/** A question that returns to the queue waits again, while its note is still visible. */
const NOTE_TTL_MS = 10 * 60_000;

/**
 * Tells the asker in an ephemeral message why their question waits ("Parley is waiting in line: …"). Sent once per question, where a
 * status would replace Slack's Stop. Never rejects.
 */
export function queueNotifier(deps: Pick<SlackDeps, 'call' | 'log' | 'time'>) {
  const notifiedAt = new Map<string, number>();
  return async (turn: TurnRef, words: string): Promise<void> => {
    const now = deps.time.now();
    for (const [key, at] of notifiedAt) if (now - at >= NOTE_TTL_MS) notifiedAt.delete(key);
    const key = `${turn.thread.channel}#${turn.message}`;
    if (notifiedAt.has(key)) return;
    notifiedAt.set(key, now);
    await postEphemeral(deps, turn, turn.asker, `⏳ Parley ${words}`, true);
  };
}
