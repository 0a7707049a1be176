import type { InteractionToken, TurnRef, UserId } from '../../../domain/index.ts';
import { cutSanitized, sanitize } from '../../markdown/index.ts';
import { hasCode, reasonOf } from '../api/errors.ts';
import type { DiscordDeps } from '../deps.ts';
import { ERROR_CODES } from '../api/error-codes.ts';
import { idAt } from '../inbound/json-path.ts';
import { isDirect, isSeen } from '../lookup/conversation-key.ts';
import { EPHEMERAL, NO_MENTIONS, NO_PREVIEWS } from '../inbound/responses.ts';
import type { AnswerChannel } from '../api/answer-channel.ts';

const MAX_LENGTH = 1_900;

/** Says what `to` alone sees, by the ticket of something that they called lately. Without one nobody is told. Resolves with whether they were. Never throws. */
export async function postEphemeral(
  deps: DiscordDeps,
  turn: TurnRef,
  to: UserId,
  words: string,
  instead = false,
): Promise<boolean> {
  const { call, applicationId, ticketFor, log } = deps;
  try {
    const ticket = (await ticketFor(turn, to)) ?? (to === turn.asker ? await ticketFor(turn) : undefined);
    if (!ticket) {
      log?.('discord.not_whispered', { reason: 'no ticket' });
      return false;
    }
    if (instead) await takeBack(deps, ticket.token);
    const body = {
      content: cutSanitized(sanitize(words), MAX_LENGTH),
      flags: EPHEMERAL | NO_PREVIEWS,
      allowed_mentions: NO_MENTIONS,
    };
    await call({
      method: 'POST',
      path: `/webhooks/${applicationId}/${ticket.token}?wait=true`,
      body,
      ticket: true,
    });
    return true;
  } catch (error) {
    log?.('discord.not_whispered', { reason: reasonOf(error) });
    return false;
  }
}

/** Whether the answer is made with the ticket of a later press: what thinks by this one is then taken away. */
export async function isSuperseded(
  deps: DiscordDeps,
  turn: TurnRef,
  { id, token }: Pick<InteractionToken, 'id' | 'token'>,
): Promise<boolean> {
  const last = await deps.ticketFor(turn);
  if (!last || last.id === id) return false;
  await takeBack(deps, token);
  return true;
}

/**
 * Deletes what says that the app is thinking: the first thing said after it would take its place, for all to see. We may be
 * quicker than Discord, which takes the deferral in a moment after it was answered. Where there is none, that is all right.
 */
async function takeBack(
  { call, applicationId, time }: Pick<DiscordDeps, 'call' | 'applicationId' | 'time'>,
  token: string,
): Promise<void> {
  const path = `/webhooks/${applicationId}/${token}/messages/@original`;
  for (let tries = TRIES; tries > 0; tries -= 1) {
    const gone = await call({ method: 'DELETE', path, ticket: true }).then(
      () => true,
      (error: unknown) => !hasCode(error, ERROR_CODES.UnknownMessage, ERROR_CODES.UnknownWebhook),
    );
    if (gone) return;
    await time.sleep(PAUSE_MS);
  }
}

/** Two seconds in all. */
const TRIES = 8;
const PAUSE_MS = 250;

/** Puts eyes under a message that waits for its turn. What was called shows that by itself. Never throws. */
export async function showAcknowledged(
  { call, ticketFor, log }: DiscordDeps,
  where: AnswerChannel,
  turn: TurnRef,
): Promise<void> {
  const { thread, message } = turn;
  try {
    if (!isSeen(thread) || (await ticketFor(turn))) return;
    const channel = message === thread.root && !isDirect(thread) ? thread.channel : await where(turn);
    const eyes = encodeURIComponent('👀');
    await call({ method: 'PUT', path: `/channels/${channel}/messages/${message}/reactions/${eyes}/@me` });
  } catch (error) {
    log?.('discord.not_noticed', { reason: reasonOf(error) });
  }
}

/** Tells the asker, in a chat of their own, why an answer cannot be shown: not what it says. Never throws. */
export async function tellPrivately(
  { call, log }: DiscordDeps,
  { asker, message }: TurnRef,
  content: string,
): Promise<void> {
  try {
    const chat = await call({ method: 'POST', path: '/users/@me/channels', body: { recipient_id: asker } });
    const nonce = `${message.slice(-19)}-late`;
    const body = { content, nonce, enforce_nonce: true, flags: NO_PREVIEWS, allowed_mentions: NO_MENTIONS };
    await call({ method: 'POST', path: `/channels/${idAt(chat, 'id') ?? ''}/messages`, body });
  } catch (error) {
    log?.('discord.not_told', { reason: reasonOf(error) });
  }
}
