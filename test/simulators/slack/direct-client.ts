import { type SlackCall, SlackRateLimitError, SlackApiError } from '../../../shared/platforms/slack/index.ts';
import type { Workspace } from './workspace.ts';

/** A client of a workspace in the same process, without network or delays. */
export function createDirectClient(workspace: Workspace): SlackCall {
  return async (method, args) => {
    await Promise.resolve();
    const answer = workspace.call(method, args, workspace.identity.botToken);
    if (answer.ok) return answer;
    if (answer.retryAfter !== undefined) throw new SlackRateLimitError(method, answer.retryAfter * 1_000);
    throw new SlackApiError(method, answer.error);
  };
}
