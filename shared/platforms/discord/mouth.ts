import type { Ticket, TurnRef } from '../../conversation/index.ts';
import { ThreadGone } from '../platform.ts';
import { DiscordNotYet, type DiscordRequest } from './call.ts';
import { hasCode, isClosed, isDeadTicket, refusalKind } from './call-failure.ts';
import type { DiscordDeps } from './deps.ts';
import { ERROR_CODES } from './error-codes.ts';
import { TICKET_MS } from './interaction.ts';
import type { PermissionFinder } from './permissions.ts';
import { botMayWrite } from './places.ts';
import type { Where } from './where.ts';

/** So long after a call Discord may not know yet that it was deferred. */
const SETTLING_MS = 6_000;

/** The ticket is worth nothing any more, and the bot may not write there by itself. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

export type MouthDeps = Pick<DiscordDeps, 'call' | 'time' | 'applicationId'> & {
  readonly where: Where;
  readonly permissions?: PermissionFinder | undefined;
};

/** By which an answer is spoken: its ticket, then the bot. */
export type Mouth = {
  /**
   * `mine` goes by the ticket, its path below the ticket's own; else what `bot` gives goes by the bot, below the messages of
   * the turn's channel. Rejects as DiscordCall does, with ThreadGone when the channel is no more, and with Unreachable.
   */
  readonly speak: (mine: DiscordRequest, bot: () => Promise<DiscordRequest>) => Promise<unknown>;
  /** Whether the ticket still counts. */
  readonly byTicket: () => boolean;
};

/** The mouth for one turn. A ticket that was refused once is never asked again: Discord would take that for abuse. */
export function createMouth(deps: MouthDeps, turn: TurnRef, ticket: Ticket | undefined): Mouth {
  const { time } = deps;
  let alive = ticket;
  const byTicket = (): boolean => alive !== undefined && time.now() < alive.until;
  return {
    byTicket,
    speak: async (mine, bot) => {
      if (alive && byTicket()) {
        try {
          return await speakByTicket(deps, alive, mine);
        } catch (error) {
          if (!isDeadTicket(error)) throw error;
          alive = undefined;
        }
      }
      return speakByBot(deps, turn, bot);
    },
  };
}

async function speakByTicket(
  { call, time, applicationId }: MouthDeps,
  { token, until }: Ticket,
  request: DiscordRequest,
): Promise<unknown> {
  try {
    const path = `/webhooks/${applicationId}/${token}${request.path}`;
    return await call({ ...request, path, ticket: true });
  } catch (error) {
    const original = request.path.includes('@original') && refusalKind(error) === 'message-not-found';
    const early = until - time.now() > TICKET_MS - SETTLING_MS;
    if (early && (original || hasCode(error, ERROR_CODES.UnknownWebhook))) {
      throw new DiscordNotYet('the deferral is not known yet', { cause: error });
    }
    throw error;
  }
}

async function speakByBot(
  { call, where }: MouthDeps,
  turn: TurnRef,
  request: () => Promise<DiscordRequest>,
): Promise<unknown> {
  if (!botMayWrite(turn.thread)) throw new Unreachable('the ticket has run out');
  try {
    const { path, ...rest } = await request();
    return await call({ ...rest, path: `/channels/${await where(turn)}/messages${path}` });
  } catch (error) {
    if (isClosed(error)) throw new ThreadGone('the bot may not write there', { cause: error });
    if (refusalKind(error) === 'channel-not-found')
      throw new ThreadGone('the channel is gone', { cause: error });
    throw error;
  }
}
