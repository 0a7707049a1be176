import type { InteractionToken, MessageId, TurnRef } from '../../../domain/index.ts';
import { ThreadDeletedError } from '../../ports/platform.ts';
import { DiscordNotYet, type DiscordRequest } from './call.ts';
import { hasCode, isClosed, isExpiredToken, refusalKind } from './errors.ts';
import type { DiscordDeps } from '../deps.ts';
import { ERROR_CODES } from './error-codes.ts';
import { idAt } from '../inbound/json-path.ts';
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

/**
 * The two routes of an answer: the interaction token while it counts, then the bot itself. A request by the token has a path
 * below the token's own, one by the bot a path below the messages of the turn's channel.
 */
export type MessageSender = {
  /** Posts a message. Rejects as DiscordCall does, with ThreadDeletedError when the channel is no more, and with Unreachable. */
  readonly post: (byToken: DiscordRequest, byBot: () => Promise<DiscordRequest>) => Promise<unknown>;
  /**
   * Edits or deletes message `id` by the route that it was posted by. The token reaches only what was made with it, and
   * Discord answers for the rest as for what is deleted. So where the route is not known, a message is gone only once the bot
   * does not know it either. Rejects as `post` does.
   */
  readonly change: (id: MessageId, byToken: DiscordRequest, byBot: DiscordRequest) => Promise<void>;
  /** Whether the token still counts. */
  readonly byTicket: () => boolean;
};

type Route = 'token' | 'bot';

/** The sender for one turn. A token that was refused once is never asked again: Discord would take that for abuse. */
export function createMessageSender(
  deps: MessageSenderDeps,
  turn: TurnRef,
  ticket: InteractionToken | undefined,
): MessageSender {
  const { time } = deps;
  let alive = ticket;
  const byTicket = (): boolean => alive !== undefined && time.now() < alive.expiresAtMs;
  const routes = new Map<string, Route>();
  const byTokenOrBot = async (
    byToken: DiscordRequest,
    byBot: () => Promise<DiscordRequest>,
  ): Promise<{ readonly route: Route; readonly made: unknown }> => {
    if (alive && byTicket()) {
      try {
        return { route: 'token', made: await sendByInteraction(deps, alive, byToken) };
      } catch (error) {
        if (!isExpiredToken(error)) throw error;
        alive = undefined;
      }
    }
    return { route: 'bot', made: await sendAsBot(deps, turn, byBot) };
  };
  return {
    byTicket,
    post: async (byToken, byBot) => {
      const { route, made } = await byTokenOrBot(byToken, byBot);
      const id = idAt(made, 'id');
      if (id !== undefined) routes.set(id, route);
      return made;
    },
    change: async (id, byToken, byBot) => {
      const asBot = () => sendAsBot(deps, turn, async () => byBot);
      if (routes.get(id) === 'bot') return void (await asBot());
      try {
        await byTokenOrBot(byToken, async () => byBot);
      } catch (error) {
        const perhapsByBot = byTicket() && !routes.has(id) && refusalKind(error) === 'message-not-found';
        if (!perhapsByBot) throw error;
        await asBot().catch((other: unknown) => {
          // Where the bot may not go, it has posted nothing: all that is known is what the token says.
          const closed = other instanceof ThreadDeletedError || other instanceof ChannelUnreachable;
          throw closed ? error : other;
        });
        routes.set(id, 'bot');
      }
    },
  };
}

async function sendByInteraction(
  { call, time, applicationId }: MessageSenderDeps,
  { token, expiresAtMs: until }: InteractionToken,
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
