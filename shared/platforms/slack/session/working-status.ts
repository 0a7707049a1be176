import type { Thread } from '../../../domain/index.ts';
import type { AgentApi } from './agent-api.ts';
import { SlackApiError } from '../api/call.ts';
import { isGone } from '../api/errors.ts';
import type { Log, Time } from '../deps.ts';
import { retrySlack } from '../api/retry.ts';

const CLEAR_TIMEOUT_MS = 5_000;

/**
 * Shows in a thread that work goes on which is no answer (a translation), until empty words end that. Ending is tried again. Never
 * rejects: no work fails for its sign.
 */
export async function showWorking(
  { agent, log, time }: { readonly agent: AgentApi; readonly log?: Log | undefined; readonly time: Time },
  thread: Thread,
  words: string,
  isAnswering = false,
): Promise<void> {
  try {
    if (words !== '') return void (await agent.working(thread, words));
    const patience = { time, deadline: time.now() + CLEAR_TIMEOUT_MS };
    // Another process may have shown it, in whichever way.
    await retrySlack(() => agent.clear(thread), patience);
    // The session is that of the answer, with its Stop.
    if (!isAnswering) await retrySlack(() => agent.idle(thread), patience);
  } catch (error) {
    // Of a place that is gone the work itself will tell.
    if (error instanceof SlackApiError && isGone(error.code)) return;
    log?.('slack.status_failed', { reason: error instanceof Error ? error.message : 'unknown' });
  }
}
