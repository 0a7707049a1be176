import { type DiscordCall, DiscordApiError } from '../api/call.ts';
import { hasCode } from '../api/errors.ts';
import { ERROR_CODES } from '../api/error-codes.ts';

const IN_THREAD = /^\/channels\/(\d+)\/messages\//;

/**
 * Unarchives a thread when Discord refuses a change in it, and repeats the request once. Discord archives threads after a day without
 * messages; a new message unarchives one by itself. A locked thread stays archived, and the first refusal is thrown.
 */
export const unarchiveThread =
  (call: DiscordCall): DiscordCall =>
  async (request) => {
    try {
      return await call(request);
    } catch (error) {
      const thread = IN_THREAD.exec(request.path)?.[1];
      if (thread === undefined || !hasCode(error, ERROR_CODES.InvalidActionOnArchivedThread)) throw error;
      if (!(await reopenThread(call, thread))) throw error;
      return call(request);
    }
  };

/** Unarchives a thread. Resolves with whether Discord allows it: a locked thread stays archived. Rejects as DiscordCall does for other failures. */
export async function reopenThread(call: DiscordCall, thread: string): Promise<boolean> {
  try {
    await call({ method: 'PATCH', path: `/channels/${thread}`, body: { archived: false } });
    return true;
  } catch (error) {
    if (error instanceof DiscordApiError) return false;
    throw error;
  }
}
