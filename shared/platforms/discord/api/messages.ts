import type { APIMessageTopLevelComponent, RESTPostAPIChannelMessageJSONBody } from 'discord-api-types/v10';
import { type MessageId, messageId, type InteractionToken, type TurnRef } from '../../../domain/index.ts';
import type { Locale } from '../../../i18n/index.ts';
import { LayoutChangedError } from '../../live-answer/index.ts';
import type { DiscordRequest, SentFile } from './call.ts';
import { refusalKind } from './errors.ts';
import { idAt, textAt } from '../inbound/json-path.ts';
import { createMessageSender, type MessageSenderDeps } from './message-sender.ts';
import { lacks } from '../lookup/permissions.ts';
import { isDirect, isPrivate, isSeen } from '../lookup/conversation-key.ts';
import { EPHEMERAL, NO_MENTIONS, NO_PREVIEWS } from '../inbound/responses.ts';

type Reference = Pick<RESTPostAPIChannelMessageJSONBody, 'message_reference'>;

/** All that one message shows. */
export type Body = {
  readonly content: string;
  readonly components: readonly APIMessageTopLevelComponent[];
  readonly files: readonly SentFile[];
};

/** What came of a post: what Discord shows may be another message, if it was repeated. */
export type PostedMessage = { readonly id: MessageId; readonly content: string | undefined };

/**
 * The calls that make up an answer, each exactly one request. They fail as DiscordCall does, with ThreadDeletedError when the place is
 * no more, and with Unreachable.
 */
export interface Messages {
  /** What whoever asked reads, as far as that is known. */
  readonly locale: Locale;
  /** Stands above the words of the first: the question of a call, which nobody else would see. */
  readonly quote: string;
  /** Posts part `index`. `nth` tells a post apart from an earlier one whose message was deleted since. */
  post(index: number, nth: number, body: Body): Promise<PostedMessage>;
  edit(id: MessageId, body: Body): Promise<void>;
  remove(id: MessageId): Promise<void>;
  /** Whether a post of that part of which nothing was heard may be repeated without a second message. */
  repeatable(index: number): boolean;
}

/** What is known of whoever asked, and of how. */
export type Asking = {
  readonly locale?: Locale | undefined;
  readonly quote?: string;
  /** The quote where the bot may not point at the question. */
  readonly insteadOfReference?: string;
};

/**
 * The messages of one answer: by its ticket while that lasts, then by the bot itself, where it is and may. A private answer
 * is never written by anything but its ticket.
 */
export function createMessages(
  deps: MessageSenderDeps,
  turn: TurnRef,
  ticket: InteractionToken | undefined,
  { locale = 'en', quote = '', insteadOfReference = quote }: Asking = {},
): Messages {
  const sender = createMessageSender(deps, turn, ticket);
  const flags = NO_PREVIEWS | (isPrivate(turn.thread) ? EPHEMERAL : 0);
  let heading = quote;
  let pointing = true;
  /** What the bot's own message points at. From the first time on that it may not, the question is quoted above the answer. */
  const reference = async (): Promise<Reference> => {
    if (!pointing || !(await isBesideItsQuestion(deps, turn))) return {};
    if (lacks(await deps.permissions?.(turn.thread), 'ReadMessageHistory')) return leaveOut();
    return { message_reference: { message_id: turn.message, fail_if_not_exists: false } };
  };
  const leaveOut = (cause?: unknown): Reference => {
    pointing = false;
    if (heading === insteadOfReference) return {};
    heading = insteadOfReference;
    // The quote takes room from the words.
    throw new LayoutChangedError('the question cannot be pointed at', { cause });
  };
  return {
    locale,
    get quote() {
      return heading;
    },
    post: async (index, nth, body) => {
      const shown = bodyOf(body);
      const mine: DiscordRequest =
        index === 0 && nth === 0
          ? { method: 'PATCH', path: '/messages/@original', ...shown }
          : { method: 'POST', path: '?wait=true', ...shown, body: { ...shown.body, flags } };
      const nonce = { nonce: nonceOf(turn.message, index, nth), enforce_nonce: true };
      const post = async (): Promise<unknown> =>
        sender.post(mine, async () => {
          const pointed = await reference();
          return { method: 'POST', path: '', ...shown, body: { ...shown.body, ...pointed, ...nonce } };
        });
      const made = await post().catch((error: unknown) => {
        if (refusalKind(error) !== 'reply-forbidden') throw error;
        leaveOut(error);
        return post();
      });
      const id = idAt(made, 'id');
      if (id === undefined) throw new Error('Discord named no message');
      return { id: messageId(id), content: textAt(made, 'content') };
    },
    edit: async (id, body) => {
      const shown = bodyOf(body);
      const byToken = { method: 'PATCH', path: `/messages/${id}`, ...shown } as const;
      await sender.change(id, byToken, { method: 'PATCH', path: `/${id}`, ...shown });
    },
    remove: async (id) => {
      const byToken = { method: 'DELETE', path: `/messages/${id}` } as const;
      await sender.change(id, byToken, { method: 'DELETE', path: `/${id}` });
    },
    repeatable: (index) => index === 0 || !sender.byTicket(),
  };
}

/** Whether the answer stands in the channel of its question, which is a message: not above the thread, and no call. */
async function isBesideItsQuestion({ where }: MessageSenderDeps, turn: TurnRef): Promise<boolean> {
  const { thread, message } = turn;
  const below = message === thread.root && (await where(turn)) === String(thread.root);
  return !below && (isSeen(thread) || isDirect(thread));
}

/** What is not named stays as it was when a message is edited; so all of it is named. */
export function bodyOf({ content, components, files }: Body) {
  const attachments = files.map(({ name }, id) => ({ id: String(id), filename: name }));
  const body = { content, components, attachments, flags: NO_PREVIEWS, allowed_mentions: NO_MENTIONS };
  return { body, ...(files.length > 0 ? { files } : {}) };
}

/** Posted again with the same, Discord answers with the message that there is. At most 25 characters. */
export const nonceOf = (message: MessageId, index: number, nth: number): string =>
  `${message.slice(-19)}-${(index * 10 + (nth % 10)).toString(36)}`;
