import { type MessageId, messageId, type Ticket, type TurnRef } from '../../conversation/index.ts';
import { ThreadGone } from '../platform.ts';
import { CODES, DiscordNotYet, type DiscordRequest, type SentFile } from './call.ts';
import { hasCode, isDeadTicket } from './call-failure.ts';
import type { DiscordDeps } from './deps.ts';
import { idAt, textAt } from './json.ts';
import { bornAt, botMayWrite, isDirect, isPrivate, isSeen } from './places.ts';
import { EPHEMERAL, NO_MENTIONS } from './responses.ts';
import type { Where } from './where.ts';

type Json = Readonly<Record<string, unknown>>;

/** All that one message shows. */
export type Body = {
  readonly content: string;
  readonly components: readonly Json[];
  readonly files: readonly SentFile[];
};

/** Link previews would fetch addresses that a model made up. */
const NO_PREVIEWS = 4;
/** So long after a call Discord may not know yet that it was deferred. */
const SETTLING_MS = 6_000;

/** The ticket is worth nothing any more, and the bot may not write there by itself. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/** What came of a post: what Discord shows may be another message, if it was repeated. */
export type Posted = { readonly id: MessageId; readonly content: string | undefined };

/**
 * The calls that make up an answer, each exactly one request. They fail as DiscordCall does, with ThreadGone when the place is
 * no more, and with Unreachable.
 */
export interface Messages {
  /** Posts part `index`. `nth` tells a post apart from an earlier one whose message was deleted since. */
  post(index: number, nth: number, body: Body): Promise<Posted>;
  edit(id: MessageId, body: Body): Promise<void>;
  remove(id: MessageId): Promise<void>;
  /** Whether a post of that part of which nothing was heard may be repeated without a second message. */
  repeatable(index: number): boolean;
}

export type MessagesDeps = Pick<DiscordDeps, 'call' | 'time' | 'applicationId'> & { readonly where: Where };

/**
 * The messages of one answer: by its ticket while that lasts, then by the bot itself, where it is and may. A private answer
 * is never written by anything but its ticket.
 */
export function createMessages(deps: MessagesDeps, turn: TurnRef, ticket: Ticket | undefined): Messages {
  const { call, time, where, applicationId } = deps;
  const { thread, message } = turn;
  let alive = ticket;
  const flags = NO_PREVIEWS | (isPrivate(thread) ? EPHEMERAL : 0);

  const byTicket = async ({ token, id }: Ticket, request: DiscordRequest): Promise<unknown> => {
    try {
      const path = `/webhooks/${applicationId}/${token}${request.path}`;
      return await call({ ...request, path, ticket: true });
    } catch (error) {
      const early = time.now() - bornAt(id) < SETTLING_MS;
      const missing =
        hasCode(error, CODES.unknownWebhook) ||
        (request.path.includes('@original') && hasCode(error, CODES.unknownMessage));
      if (early && missing) throw new DiscordNotYet('the deferral is not known yet', { cause: error });
      throw error;
    }
  };

  const byBot = async (request: DiscordRequest): Promise<unknown> => {
    if (!botMayWrite(thread)) throw new Unreachable('the ticket has run out');
    try {
      return await call({ ...request, path: `/channels/${await where(turn)}/messages${request.path}` });
    } catch (error) {
      if (hasCode(error, CODES.unknownChannel)) throw new ThreadGone('the channel is gone', { cause: error });
      throw error;
    }
  };

  const speak = async (
    mine: DiscordRequest,
    otherwise: () => DiscordRequest | Promise<DiscordRequest>,
  ): Promise<unknown> => {
    if (alive && time.now() < alive.until) {
      try {
        return await byTicket(alive, mine);
      } catch (error) {
        if (!isDeadTicket(error)) throw error;
        // Never asked again: Discord would take that for abuse.
        alive = undefined;
      }
    }
    return byBot(await otherwise());
  };

  const reference = async (): Promise<Json> => {
    // A thread stands below its first question: there is nothing to point at.
    const below = message === thread.root && (await where(turn)) === String(thread.root);
    if (below || (!isSeen(thread) && !isDirect(thread))) return {};
    return { message_reference: { message_id: message, fail_if_not_exists: false } };
  };

  return {
    post: async (index, nth, body) => {
      const shown = bodyOf(body);
      const again = index === 0 && nth === 0;
      const mine: DiscordRequest = again
        ? { method: 'PATCH', path: '/messages/@original', ...shown }
        : { method: 'POST', path: '?wait=true', ...shown, body: { ...shown.body, flags } };
      const made = await speak(mine, async () => ({
        method: 'POST',
        path: '',
        ...shown,
        body: {
          ...shown.body,
          ...(await reference()),
          nonce: nonceOf(message, index, nth),
          enforce_nonce: true,
        },
      }));
      const id = idAt(made, 'id');
      if (id === undefined) throw new Error('Discord named no message');
      return { id: messageId(id), content: textAt(made, 'content') };
    },
    edit: async (id, body) => {
      const shown = bodyOf(body);
      await speak({ method: 'PATCH', path: `/messages/${id}`, ...shown }, () => ({
        method: 'PATCH',
        path: `/${id}`,
        ...shown,
      }));
    },
    remove: async (id) => {
      await speak({ method: 'DELETE', path: `/messages/${id}` }, () => ({
        method: 'DELETE',
        path: `/${id}`,
      }));
    },
    repeatable: (index) => alive === undefined || index === 0,
  };
}

/** What is not named stays as it was when a message is edited; so all of it is named. */
function bodyOf({ content, components, files }: Body) {
  const attachments = files.map(({ name }, id) => ({ id, filename: name }));
  const body = { content, components, attachments, flags: NO_PREVIEWS, allowed_mentions: NO_MENTIONS };
  return { body, ...(files.length > 0 ? { files } : {}) };
}

/** Posted again with the same, Discord answers with the message that there is. At most 25 characters. */
const nonceOf = (message: MessageId, index: number, nth: number): string =>
  `${message.slice(-19)}-${(index * 10 + (nth % 10)).toString(36)}`;
