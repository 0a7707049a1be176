import type { APIMessageTopLevelComponent, RESTPostAPIChannelMessageJSONBody } from 'discord-api-types/v10';
import { type MessageId, messageId, type InteractionToken, type TurnRef } from '../../../domain/index.ts';
import type { Locale } from '../../../i18n/index.ts';
import { LayoutChangedError } from '../../live-answer/index.ts';
import type { DiscordRequest, SentFile } from '../api/call.ts';
import { getRefusalKind } from '../api/errors.ts';
import { readId, readString } from '../api/json-path.ts';
import { createMessageSender, type MessageSenderDeps } from './message-sender.ts';
import { isMissing } from '../lookup/permissions.ts';
import { isDirect, isPrivate, hasRootMessage } from '../inbound/conversation-key.ts';
import { EPHEMERAL } from '../inbound/responses.ts';
import { NO_MENTIONS, NO_PREVIEWS } from '../api/enums.ts';

type Reference = Pick<RESTPostAPIChannelMessageJSONBody, 'message_reference'>;

/** The content of one message. */
export type Body = {
  readonly content: string;
  readonly components: readonly APIMessageTopLevelComponent[];
  readonly files: readonly SentFile[];
};

/** A posted message. After a retry with the same nonce, its content may be that of the first attempt. */
export type PostedMessage = { readonly id: MessageId; readonly content: string | undefined };

/**
 * The requests that make up an answer; each method sends one. They reject as DiscordCall does, with ThreadDeletedError if the channel is
 * deleted, and with ChannelUnreachableError.
 */
export interface Messages {
  /** The locale of the asker, or `en`. */
  readonly locale: Locale;
  /** Stands above the first message: the question of a slash command, which others do not see. */
  readonly quote: string;
  /** Posts message `index` of the answer. `nth` counts the posts of that index, since an earlier one may have been deleted. */
  post(index: number, nth: number, body: Body): Promise<PostedMessage>;
  edit(id: MessageId, body: Body): Promise<void>;
  remove(id: MessageId): Promise<void>;
  /** Whether a post of unknown outcome can be repeated without creating a second message. */
  isRepeatable(index: number): boolean;
}

/** What is known of the asker and the question. */
export type QuestionContext = {
  readonly locale?: Locale | undefined;
  readonly quote?: string;
  /** The quote for channels in which the bot may not reply to the question. */
  readonly insteadOfReference?: string;
};

/**
 * Creates the messages of one answer: with the interaction token while it is valid, then as the bot if the bot may post there. An
 * ephemeral answer is written with the interaction token only.
 */
export function createMessages(
  deps: MessageSenderDeps,
  turn: TurnRef,
  token: InteractionToken | undefined,
  { locale = 'en', quote = '', insteadOfReference = quote }: QuestionContext = {},
): Messages {
  const sender = createMessageSender(deps, turn, token);
  const flags = NO_PREVIEWS | (isPrivate(turn.thread) ? EPHEMERAL : 0);
  let heading = quote;
  let canReference = true;
  /** The reply reference of a message that the bot posts. Once Discord refuses it, the question is quoted above the answer instead. */
  const createReference = async (): Promise<Reference> => {
    if (!canReference || !(await isBesideItsQuestion(deps, turn))) return {};
    if (isMissing(await deps.permissions?.(turn.thread), 'ReadMessageHistory')) return omitReference();
    return { message_reference: { message_id: turn.message, fail_if_not_exists: false } };
  };
  const omitReference = (cause?: unknown): Reference => {
    canReference = false;
    if (heading === insteadOfReference) return {};
    heading = insteadOfReference;
    // The quote leaves less room for the answer.
    throw new LayoutChangedError('the bot may not reply to the question', { cause });
  };
  return {
    locale,
    get quote() {
      return heading;
    },
    post: async (index, nth, body) => {
      const content = requestBody(body);
      const byToken: DiscordRequest =
        index === 0 && nth === 0
          ? { method: 'PATCH', path: '/messages/@original', ...content }
          : { method: 'POST', path: '?wait=true', ...content, body: { ...content.body, flags } };
      const nonce = { nonce: getMessageNonce(turn.message, index, nth), enforce_nonce: true };
      const post = async (): Promise<unknown> =>
        sender.post(byToken, async () => {
          const replyTo = await createReference();
          return { method: 'POST', path: '', ...content, body: { ...content.body, ...replyTo, ...nonce } };
        });
      const message = await post().catch((error: unknown) => {
        if (getRefusalKind(error) !== 'reply-forbidden') throw error;
        omitReference(error);
        return post();
      });
      const id = readId(message, 'id');
      if (id === undefined) throw new Error('the response of Discord has no message id');
      return { id: messageId(id), content: readString(message, 'content') };
    },
    edit: async (id, body) => {
      const content = requestBody(body);
      const byToken = { method: 'PATCH', path: `/messages/${id}`, ...content } as const;
      await sender.change(id, byToken, { method: 'PATCH', path: `/${id}`, ...content });
    },
    remove: async (id) => {
      const byToken = { method: 'DELETE', path: `/messages/${id}` } as const;
      await sender.change(id, byToken, { method: 'DELETE', path: `/${id}` });
    },
    isRepeatable: (index) => index === 0 || !sender.hasToken(),
  };
}

/** Whether the answer is in the same channel as its question, and the question is a message: not a slash command. */
async function isBesideItsQuestion({ findChannel }: MessageSenderDeps, turn: TurnRef): Promise<boolean> {
  const { thread, message } = turn;
  const isInNewThread = message === thread.root && (await findChannel(turn)) === String(thread.root);
  return !isInNewThread && (hasRootMessage(thread) || isDirect(thread));
}

/** The whole content of a message: on an edit, Discord keeps every field that the request lacks. */
export function requestBody({ content, components, files }: Body) {
  const attachments = files.map(({ name }, id) => ({ id: String(id), filename: name }));
  const body = { content, components, attachments, flags: NO_PREVIEWS, allowed_mentions: NO_MENTIONS };
  return { body, ...(files.length > 0 ? { files } : {}) };
}

/** A nonce with which Discord responds to a repeated post with the existing message. At most 25 characters. */
export const getMessageNonce = (message: MessageId, index: number, nth: number): string =>
  `${message.slice(-19)}-${(index * 10 + (nth % 10)).toString(36)}`;
