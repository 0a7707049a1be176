import type { Thread } from '../../../domain/index.ts';
import type { AgentApi } from './assistant-session.ts';
import { SlackApiError } from '../api/call.ts';
import { isGone } from '../api/errors.ts';
import type { Log, Time } from '../deps.ts';
import { retrySlack } from '../api/retry.ts';

const CLEAR_TIMEOUT_MS = 5_000;

/**
 * Shows a status in a thread for work that is not an answer, such as a translation. An empty text ends it; that is retried.
 * Never rejects: the work does not depend on its status.
 */
export async function showWorking(
  { agent, log, time }: { readonly agent: AgentApi; readonly log?: Log | undefined; readonly time: Time },
  thread: Thread,
  words: string,
  isAnswering = false,
): Promise<void> {
  try {
    if (words !== '') return void (await agent.showWork(thread, words));
    const retryOptions = { time, deadline: time.now() + CLEAR_TIMEOUT_MS };
    // Another process may have shown it by the other API.
    await retrySlack(() => agent.clearText(thread), retryOptions);
    // An answer in progress keeps the session, with its Stop.
    if (!isAnswering) await retrySlack(() => agent.endSession(thread), retryOptions);
  } catch (error) {
    // The work itself logs that the thread was deleted.
    if (error instanceof SlackApiError && isGone(error.code)) return;
    log?.('slack.status-failed', { reason: error instanceof Error ? error.message : 'unknown' });
  }
}
