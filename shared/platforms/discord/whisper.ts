import type { TurnRef, UserId } from '../../conversation/index.ts';
import { inert } from '../text/index.ts';
import { reasonOf } from './call-failure.ts';
import type { DiscordDeps } from './deps.ts';
import { cut } from './form.ts';
import { idAt } from './json.ts';
import { isDirect, isSeen } from './places.ts';
import { EPHEMERAL, NO_MENTIONS } from './responses.ts';
import type { Where } from './where.ts';

const LONGEST = 1_900;

/** Says what `to` alone sees, by the ticket of something that they called lately. Without one nobody is told. Never throws. */
export async function whisper(deps: DiscordDeps, turn: TurnRef, to: UserId, words: string): Promise<void> {
  const { call, applicationId, ticketFor, log } = deps;
  try {
    const ticket = (await ticketFor(turn, to)) ?? (to === turn.asker ? await ticketFor(turn) : undefined);
    if (!ticket) return log?.('discord.not_whispered', { reason: 'no ticket' });
    const body = { content: cut(inert(words), LONGEST), flags: EPHEMERAL, allowed_mentions: NO_MENTIONS };
    await call({
      method: 'POST',
      path: `/webhooks/${applicationId}/${ticket.token}?wait=true`,
      body,
      ticket: true,
    });
  } catch (error) {
    log?.('discord.not_whispered', { reason: reasonOf(error) });
  }
}

/** Puts eyes under a message that waits for its turn. What was called shows that by itself. Never throws. */
export async function showNoticed(
  { call, ticketFor, log }: DiscordDeps,
  where: Where,
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
    const body = { content, nonce, enforce_nonce: true, allowed_mentions: NO_MENTIONS };
    await call({ method: 'POST', path: `/channels/${idAt(chat, 'id') ?? ''}/messages`, body });
  } catch (error) {
    log?.('discord.not_told', { reason: reasonOf(error) });
  }
}
