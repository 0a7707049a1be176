import type { TurnRef } from '../../conversation/index.ts';
import { SlackRefused } from './call.ts';
import { isGone } from './call-failure.ts';
import type { SlackDeps } from './deps.ts';
import { persist } from './patience.ts';

const CLEAR_WITHIN_MS = 5_000;

/**
 * Shows `words` behind the bot's name under the thread ("is thinking…"); empty words clear it. Slack clears it itself
 * when a message appears, or after two minutes. Clearing is tried again: after a withdrawal nothing appears. Never throws:
 * an answer does not fail for its status.
 */
export async function showStatus(
  { call, log, time }: Pick<SlackDeps, 'call' | 'log' | 'time'>,
  { thread: { channel, root } }: Pick<TurnRef, 'thread'>,
  words: string,
): Promise<void> {
  try {
    const show = () =>
      call('assistant.threads.setStatus', { channel_id: channel, thread_ts: root, status: words });
    await (words === '' ? persist(show, { time, deadline: time.now() + CLEAR_WITHIN_MS }) : show());
  } catch (error) {
    // Of a place that is gone the answer itself will tell, in one line.
    if (error instanceof SlackRefused && isGone(error.code)) return;
    log?.('slack.status_failed', { reason: error instanceof Error ? error.message : 'unknown' });
  }
}
