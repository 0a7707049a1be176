import type { TurnRef } from '../../../domain/index.ts';
import type { StatusKind } from '../../ports/index.ts';
import { getErrorReason } from '../api/errors.ts';
import type { DiscordDeps, FindAnswerChannel } from '../deps.ts';
import { botMayWrite } from '../inbound/conversation-key.ts';
import { NO_MENTIONS, NO_PREVIEWS } from '../api/enums.ts';
import { formatStatus, type QueueStatusMessages } from './queue-status-message.ts';

/** Discord shows the typing indicator for ten seconds. */
const TYPING_INTERVAL_MS = 8_000;
/** Bounds the indicator of an answer that never ends it. */
const MAX_TYPING_REQUESTS = 15;

export type ShowStatus = (turn: TurnRef, words: string, kind?: StatusKind) => Promise<void>;

/**
 * Shows a status: the typing indicator while the bot works, until empty words end it. A wait is shown by a message of its own, or in
 * the deferred response, which shows work by itself. A status of an answer that has begun to post is not shown. Never throws.
 * `typing`: the indicators that are shown.
 */
export function createShowStatus(
  { call, time, applicationId, findInteractionToken, log }: DiscordDeps,
  findChannel: FindAnswerChannel,
  statuses: QueueStatusMessages,
  typing = new Map<string, AbortController>(),
): ShowStatus {
  return async (turn, words, kind) => {
    const isWorking = kind === 'work';
    const key = `${turn.thread.root}#${turn.message}`;
    typing.get(key)?.abort(new Error('another status is shown'));
    typing.delete(key);
    try {
      if (words === '') return await statuses.end(turn);
      const token = await findInteractionToken(turn);
      if (statuses.isAnswered(turn)) return;
      if (token) {
        if (isWorking) return;
        const body = { content: formatStatus(words), flags: NO_PREVIEWS, allowed_mentions: NO_MENTIONS };
        const path = `/webhooks/${applicationId}/${token.token}/messages/@original`;
        await call({ method: 'PATCH', path, body, byInteractionToken: true });
      } else if (!botMayWrite(turn.thread)) return;
      // The status message is another process's, and what it says of the wait is valid.
      else if (kind === 'waiting' && !statuses.has(turn)) return;
      else if (!isWorking) await statuses.show(turn, words);
      else {
        const ended = new AbortController();
        typing.set(key, ended);
        // The answer may never end the indicator: another process may continue it.
        const forget = (): void => {
          if (typing.get(key) === ended) typing.delete(key);
        };
        try {
          await type(await findChannel(turn));
        } catch (error) {
          forget();
          throw error;
        }
        keepTyping(await findChannel(turn), ended.signal)
          .catch(() => undefined)
          .finally(forget);
      }
    } catch (error) {
      log?.('discord.status-failed', { reason: getErrorReason(error) });
    }
  };

  async function type(channel: string): Promise<void> {
    await call({ method: 'POST', path: `/channels/${channel}/typing` });
  }

  async function keepTyping(channel: string, signal: AbortSignal): Promise<void> {
    for (let requests = 0; requests < MAX_TYPING_REQUESTS; requests += 1) {
      await time.sleep(TYPING_INTERVAL_MS, signal);
      await type(channel);
    }
  }
}
