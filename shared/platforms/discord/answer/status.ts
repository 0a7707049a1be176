import type { TurnRef } from '../../../domain/index.ts';
import type { StatusKind } from '../../ports/platform.ts';
import { reasonOf } from '../api/errors.ts';
import type { DiscordDeps } from '../deps.ts';
import { botMayWrite } from '../lookup/conversation-key.ts';
import { NO_MENTIONS, NO_PREVIEWS } from '../inbound/responses.ts';
import { passing, type QueueStatusMessages } from './queue-status-message.ts';
import type { AnswerChannel } from '../api/answer-channel.ts';

/** Discord shows for ten seconds that somebody types. */
const TYPING_MS = 8_000;
/** Nobody is kept waiting for a worker that has gone. */
const MAX_TIMES = 15;

export type ShowStatus = (turn: TurnRef, words: string, kind?: StatusKind) => Promise<void>;

/**
 * Shows that the bot is at it: it types, again and again until it is told to stop by an empty word. What is more than thinking,
 * such as a wait, is said in a line of its own, or in the place of a deferral, which shows thinking by itself. Never throws.
 */
export function statusShower(
  { call, time, applicationId, ticketFor, log }: DiscordDeps,
  where: AnswerChannel,
  lines: QueueStatusMessages,
): ShowStatus {
  const typing = new Map<string, AbortController>();
  return async (turn, words, kind) => {
    const plain = kind === 'work';
    const key = `${turn.thread.root}#${turn.message}`;
    typing.get(key)?.abort(new Error('something else is shown'));
    typing.delete(key);
    try {
      if (words === '') return await lines.end(turn);
      const ticket = await ticketFor(turn);
      if (ticket) {
        if (plain) return;
        const body = { content: passing(words), flags: NO_PREVIEWS, allowed_mentions: NO_MENTIONS };
        const path = `/webhooks/${applicationId}/${ticket.token}/messages/@original`;
        await call({ method: 'PATCH', path, body, ticket: true });
      } else if (!botMayWrite(turn.thread)) return;
      // Another process has the line, and what it says of the time holds.
      else if (kind === 'waiting' && !lines.has(turn)) return;
      else if (!plain) await lines.say(turn, words);
      else {
        const over = new AbortController();
        typing.set(key, over);
        await type(await where(turn));
        keepTyping(await where(turn), over.signal).catch(() => undefined);
      }
    } catch (error) {
      log?.('discord.status_failed', { reason: reasonOf(error) });
    }
  };

  async function type(channel: string): Promise<void> {
    await call({ method: 'POST', path: `/channels/${channel}/typing` });
  }

  async function keepTyping(channel: string, signal: AbortSignal): Promise<void> {
    for (let times = 0; times < MAX_TIMES; times += 1) {
      await time.sleep(TYPING_MS, signal);
      await type(channel);
    }
  }
}
