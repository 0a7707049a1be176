import type { InteractionToken, TurnRef, UserId } from '../../../domain/index.ts';
import { cutSanitized, sanitize } from '../../markdown/index.ts';
import { hasCode, getErrorReason } from '../api/errors.ts';
import type { DiscordDeps, FindAnswerChannel } from '../deps.ts';
import { ERROR_CODES } from '../api/error-codes.ts';
import { readId } from '../api/json-path.ts';
import { isDirect, hasRootMessage } from '../inbound/conversation-key.ts';
import { EPHEMERAL } from '../inbound/responses.ts';
import { NO_MENTIONS, NO_PREVIEWS } from '../api/enums.ts';

const MAX_LENGTH = 1_900;

/**
 * Sends `recipient` an ephemeral message, with the token of their latest interaction. Without a token nothing is sent. Resolves with whether it was
 * sent. `replacesAnswer`: it takes the place of the answer, so the deferred response is deleted first. Never throws.
 */
export async function postEphemeral(
  deps: DiscordDeps,
  turn: TurnRef,
  recipient: UserId,
  text: string,
  replacesAnswer = false,
): Promise<boolean> {
  const { call, applicationId, findInteractionToken, log } = deps;
  try {
    const token =
      (await findInteractionToken(turn, recipient)) ??
      (recipient === turn.asker ? await findInteractionToken(turn) : undefined);
    if (!token) {
      log?.('discord.ephemeral-failed', { reason: 'no token' });
      return false;
    }
    if (replacesAnswer) await deleteDeferral(deps, token.token);
    const body = {
      content: cutSanitized(sanitize(text), MAX_LENGTH),
      flags: EPHEMERAL | NO_PREVIEWS,
      allowed_mentions: NO_MENTIONS,
    };
    await call({
      method: 'POST',
      path: `/webhooks/${applicationId}/${token.token}?wait=true`,
      body,
      byInteractionToken: true,
    });
    return true;
  } catch (error) {
    log?.('discord.ephemeral-failed', { reason: getErrorReason(error) });
    return false;
  }
}

/** Whether the answer is made with the token of a later interaction. Then deletes the deferred response of this one. */
export async function isSuperseded(
  deps: DiscordDeps,
  turn: TurnRef,
  { id, token }: Pick<InteractionToken, 'id' | 'token'>,
): Promise<boolean> {
  const latest = await deps.findInteractionToken(turn);
  if (!latest || latest.id === id) return false;
  await deleteDeferral(deps, token);
  return true;
}

/**
 * Deletes the deferred response ("is thinking…"): the next message with the token would take its place, visible for all. Discord
 * may learn of the deferral only after this request, which is then retried. Resolves too if there is none.
 */
async function deleteDeferral(
  { call, applicationId, time }: Pick<DiscordDeps, 'call' | 'applicationId' | 'time'>,
  token: string,
): Promise<void> {
  const path = `/webhooks/${applicationId}/${token}/messages/@original`;
  for (let attempt = 0; attempt < DELETE_ATTEMPTS; attempt += 1) {
    const isDeleted = await call({ method: 'DELETE', path, byInteractionToken: true }).then(
      () => true,
      (error: unknown) => !hasCode(error, ERROR_CODES.UnknownMessage, ERROR_CODES.UnknownWebhook),
    );
    if (isDeleted) return;
    await time.sleep(DELETE_RETRY_MS);
  }
}

/** Two seconds in all. */
const DELETE_ATTEMPTS = 8;
const DELETE_RETRY_MS = 250;

/** Adds a reaction (eyes) to a message that waits in the queue. An interaction shows its deferral instead. Never throws. */
export async function showAcknowledged(
  { call, findInteractionToken, log }: DiscordDeps,
  findChannel: FindAnswerChannel,
  turn: TurnRef,
): Promise<void> {
  const { thread, message } = turn;
  try {
    if (!hasRootMessage(thread) || (await findInteractionToken(turn))) return;
    const eyes = encodeURIComponent('👀');
    const react = (channel: string) =>
      call({ method: 'PUT', path: `/channels/${channel}/messages/${message}/reactions/${eyes}/@me` });
    if (message !== thread.root || isDirect(thread)) return void (await react(await findChannel(turn)));
    await react(thread.channel).catch((error: unknown) => {
      // The first message of a forum post is in its thread, not in the forum: see vercel/chat#815.
      if (!hasCode(error, ERROR_CODES.UnknownMessage)) throw error;
      return react(thread.root);
    });
  } catch (error) {
    log?.('discord.reaction-failed', { reason: getErrorReason(error) });
  }
}

/** Tells the asker in a direct message that an answer cannot be shown, without its words. Never throws. */
export async function notifyInDirectMessage(
  { call, log }: DiscordDeps,
  { asker, message }: TurnRef,
  content: string,
): Promise<void> {
  try {
    const chat = await call({ method: 'POST', path: '/users/@me/channels', body: { recipient_id: asker } });
    const nonce = `${message.slice(-19)}-late`;
    const body = { content, nonce, enforce_nonce: true, flags: NO_PREVIEWS, allowed_mentions: NO_MENTIONS };
    await call({ method: 'POST', path: `/channels/${readId(chat, 'id') ?? ''}/messages`, body });
  } catch (error) {
    log?.('discord.direct-message-failed', { reason: getErrorReason(error) });
  }
}
