import type { InteractionToken, TurnRef } from '../../../domain/index.ts';
import { ThreadDeletedError } from '../../ports/platform.ts';
import { DiscordNotYet, type DiscordRequest } from './call.ts';
import { hasCode, isClosed, isExpiredToken, refusalKind } from './errors.ts';
import type { DiscordDeps } from '../deps.ts';
import { ERROR_CODES } from './error-codes.ts';
import { INTERACTION_TOKEN_TTL_MS } from '../inbound/interaction.ts';
import type { PermissionFinder } from '../lookup/permissions.ts';
import { botMayWrite } from '../lookup/conversation-key.ts';
import type { AnswerChannel } from './answer-channel.ts';

/** So long after a call Discord may not know yet that it was deferred. */
const SETTLING_MS = 6_000;

/** The ticket is worth nothing any more, and the bot may not write there by itself. */
export class ChannelUnreachable extends Error {
  override readonly name = 'Unreachable';
}

export type MessageSenderDeps = Pick<DiscordDeps, 'call' | 'time' | 'applicationId'> & {
  readonly where: AnswerChannel;
  readonly permissions?: PermissionFinder | undefined;
};

/** By which an answer is spoken: its ticket, then the bot. */
export type MessageSender = {
  /**
   * `mine` goes by the ticket, its path below the ticket's own; else what `bot` gives goes by the bot, below the messages of
   * the turn's channel. Rejects as DiscordCall does, with ThreadDeletedError when the channel is no more, and with Unreachable.
   */
  readonly speak: (mine: DiscordRequest, bot: () => Promise<DiscordRequest>) => Promise<unknown>;
  /** Whether the ticket still counts. */
  readonly byTicket: () => boolean;
};

/** The mouth for one turn. A ticket that was refused once is never asked again: Discord would take that for abuse. */
export function createMessageSender(
  deps: MessageSenderDeps,
  turn: TurnRef,
  ticket: InteractionToken | undefined,
): MessageSender {
  const { time } = deps;
  let alive = ticket;
  const byTicket = (): boolean => alive !== undefined && time.now() < alive.until;
  return {
    byTicket,
    speak: async (mine, bot) => {
      if (alive && byTicket()) {
        try {
          return await sendByInteraction(deps, alive, mine);
        } catch (error) {
          if (!isExpiredToken(error)) throw error;
          alive = undefined;
        }
      }
      return sendAsBot(deps, turn, bot);
    },
  };
}

async function sendByInteraction(
  { call, time, applicationId }: MessageSenderDeps,
  { token, until }: InteractionToken,
  request: DiscordRequest,
): Promise<unknown> {
  try {
    const path = `/webhooks/${applicationId}/${token}${request.path}`;
    return await call({ ...request, path, ticket: true });
  } catch (error) {
    const original = request.path.includes('@original') && refusalKind(error) === 'message-not-found';
    const early = until - time.now() > INTERACTION_TOKEN_TTL_MS - SETTLING_MS;
    if (early && (original || hasCode(error, ERROR_CODES.UnknownWebhook))) {
      throw new DiscordNotYet('the deferral is not known yet', { cause: error });
    }
    throw error;
  }
}

async function sendAsBot(
  { call, where }: MessageSenderDeps,
  turn: TurnRef,
  request: () => Promise<DiscordRequest>,
): Promise<unknown> {
  if (!botMayWrite(turn.thread)) throw new ChannelUnreachable('the ticket has run out');
  try {
    const { path, ...rest } = await request();
    return await call({ ...rest, path: `/channels/${await where(turn)}/messages${path}` });
  } catch (error) {
    if (isClosed(error)) throw new ThreadDeletedError('the bot may not write there', { cause: error });
    if (refusalKind(error) === 'channel-not-found')
      throw new ThreadDeletedError('the channel is gone', { cause: error });
    throw error;
  }
}
