import { type DiscordCall, DiscordApiError } from './call.ts';
import { hasCode } from './errors.ts';
import { ERROR_CODES } from './error-codes.ts';

const IN_THREAD = /^\/channels\/(\d+)\/messages\//;

/**
 * Discord changes nothing in a thread that was put away, as each is after a day without a word: it is woken up, and the request sent once
 * more. One that is locked stays as it is, and rejects with what Discord said first. A new message wakes a thread by itself.
 */
export const unarchiveThread =
  (call: DiscordCall): DiscordCall =>
  async (request) => {
    try {
      return await call(request);
    } catch (error) {
      const thread = IN_THREAD.exec(request.path)?.[1];
      if (thread === undefined || !hasCode(error, ERROR_CODES.InvalidActionOnArchivedThread)) throw error;
      await call({ method: 'PATCH', path: `/channels/${thread}`, body: { archived: false } }).catch(
        (refusal: unknown) => {
          throw refusal instanceof DiscordApiError ? error : refusal;
        },
      );
      return call(request);
    }
  };
