import type { InteractionToken, MessageId, TurnRef } from '../../../domain/index.ts';
import { ThreadDeletedError } from '../../ports/index.ts';
import { DiscordNotReadyError, type DiscordRequest, INTERACTION_TOKEN_TTL_MS } from '../api/call.ts';
import { hasCode, isClosed, isExpiredToken, isForbidden, isLocked, getRefusalKind } from '../api/errors.ts';
import type { DiscordDeps, FindAnswerChannel } from '../deps.ts';
import { ERROR_CODES } from '../api/error-codes.ts';
import { readId } from '../api/json-path.ts';
import type { PermissionFinder } from '../lookup/permissions.ts';
import { botMayWrite, hasRootMessage } from '../inbound/conversation-key.ts';
import { reopenThread } from './unarchive-thread.ts';

/** For so long after an interaction, Discord may not know yet that it was deferred. */
const DEFERRAL_DELAY_MS = 6_000;

/** Whether Discord may not know yet that an interaction was deferred whose token is used until then (ms since 1970). */
export const mayNotKnowDeferral = (tokenExpiresAtMs: number, now: number): boolean =>
  tokenExpiresAtMs - now > INTERACTION_TOKEN_TTL_MS - DEFERRAL_DELAY_MS;

/** The bot itself may not post in the channel, and `why`: the interaction token has expired (`late`), or Discord accepts no more responses there (`closed`). */
export class ChannelUnreachableError extends Error {
  override readonly name = 'ChannelUnreachableError';
  readonly why: 'late' | 'closed';

  constructor(why: ChannelUnreachableError['why'], options?: ErrorOptions) {
    super(why === 'late' ? 'the interaction token has expired' : 'no more responses there', options);
    this.why = why;
  }
}

export type MessageSenderDeps = Pick<DiscordDeps, 'call' | 'time' | 'applicationId'> & {
  readonly findChannel: FindAnswerChannel;
  readonly permissions?: PermissionFinder | undefined;
};

/**
 * Sends the messages of an answer by one of two routes: with the interaction token while it is valid, then as the bot. The path of a
 * request by token is relative to the webhook, that of a request by the bot relative to the messages of the turn's channel.
 */
export type MessageSender = {
  /** Posts a message. Rejects as DiscordCall does, with ThreadDeletedError if the channel is deleted, and with ChannelUnreachableError. */
  readonly post: (byToken: DiscordRequest, byBot: () => Promise<DiscordRequest>) => Promise<unknown>;
  /**
   * Edits or deletes message `id` by the route by which it was posted. A token reaches only messages that were posted with it;
   * for others Discord responds as for deleted ones. So if the route is unknown, a message counts as deleted only if the bot
   * does not find it either. Rejects as `post` does.
   */
  readonly change: (id: MessageId, byToken: DiscordRequest, byBot: DiscordRequest) => Promise<void>;
  /** Whether the interaction token is still valid. */
  readonly hasToken: () => boolean;
};

type Route = 'token' | 'bot';

/** Creates the sender for one turn. A token that was refused is not used again: Discord treats that as abuse. */
export function createMessageSender(
  deps: MessageSenderDeps,
  turn: TurnRef,
  interactionToken: InteractionToken | undefined,
): MessageSender {
  const { time } = deps;
  let token = interactionToken;
  const hasToken = (): boolean => token !== undefined && time.now() < token.expiresAtMs;
  const routes = new Map<string, Route>();
  const sendByTokenOrBot = async (
    byToken: DiscordRequest,
    byBot: () => Promise<DiscordRequest>,
  ): Promise<{ readonly route: Route; readonly message: unknown }> => {
    if (token && hasToken()) {
      try {
        return { route: 'token', message: await sendByInteraction(deps, turn, token, byToken) };
      } catch (error) {
        if (!isExpiredToken(error)) throw error;
        token = undefined;
      }
    }
    return { route: 'bot', message: await sendAsBot(deps, turn, byBot) };
  };
  return {
    hasToken,
    post: async (byToken, byBot) => {
      const { route, message } = await sendByTokenOrBot(byToken, byBot);
      const id = readId(message, 'id');
      if (id !== undefined) routes.set(id, route);
      return message;
    },
    change: async (id, byToken, byBot) => {
      const changeAsBot = () => sendAsBot(deps, turn, async () => byBot);
      if (routes.get(id) === 'bot') return void (await changeAsBot());
      try {
        await sendByTokenOrBot(byToken, async () => byBot);
      } catch (error) {
        const mayBeByBot = hasToken() && !routes.has(id) && getRefusalKind(error) === 'message-not-found';
        if (!mayBeByBot) throw error;
        await changeAsBot().catch((botError: unknown) => {
          // In a channel that is closed to the bot it has posted nothing, so the error of the token is the right one.
          const isClosedToBot =
            botError instanceof ThreadDeletedError || botError instanceof ChannelUnreachableError;
          throw isClosedToBot ? error : botError;
        });
        routes.set(id, 'bot');
      }
    },
  };
}

/**
 * Sends a request by token. A token has no power over a thread that was archived or locked meanwhile (discord-api-docs#6884): the bot unarchives it, or
 * the answer cannot be shown there.
 */
async function sendByInteraction(
  { call, time, applicationId, findChannel }: MessageSenderDeps,
  turn: TurnRef,
  { token, expiresAtMs }: InteractionToken,
  request: DiscordRequest,
): Promise<unknown> {
  const path = `/webhooks/${applicationId}/${token}${request.path}`;
  const send = () => call({ ...request, path, byInteractionToken: true });
  try {
    return await send();
  } catch (error) {
    const isOriginal = request.path.includes('@original') && getRefusalKind(error) === 'message-not-found';
    const isEarly = mayNotKnowDeferral(expiresAtMs, time.now());
    if (isEarly && (isOriginal || hasCode(error, ERROR_CODES.UnknownWebhook))) {
      throw new DiscordNotReadyError('the deferral is not known yet', { cause: error });
    }
    const isDueToFiles = request.files !== undefined && isForbidden(error);
    if (!isClosed(error) || isDueToFiles) throw error;
    const { thread } = turn;
    if (!botMayWrite(thread)) throw new ChannelUnreachableError('closed', { cause: error });
    const isOpen =
      isLocked(error) && hasRootMessage(thread) && (await reopenThread(call, await findChannel(turn)));
    return (isOpen ? send() : Promise.reject(error)).catch((failure: unknown) => {
      if (!isClosed(failure)) throw failure;
      throw new ThreadDeletedError('the bot may not respond there', { cause: failure });
    });
  }
}

async function sendAsBot(
  { call, findChannel }: MessageSenderDeps,
  turn: TurnRef,
  request: () => Promise<DiscordRequest>,
): Promise<unknown> {
  if (!botMayWrite(turn.thread)) throw new ChannelUnreachableError('late');
  try {
    const { path, ...rest } = await request();
    return await call({ ...rest, path: `/channels/${await findChannel(turn)}/messages${path}` });
  } catch (error) {
    if (isClosed(error)) throw new ThreadDeletedError('the bot may not post there', { cause: error });
    if (getRefusalKind(error) === 'channel-not-found')
      throw new ThreadDeletedError('the channel is deleted', { cause: error });
    throw error;
  }
}
