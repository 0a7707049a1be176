import type { MessageId, TurnRef } from '../../../domain/index.ts';
import {
  type AnswerMessage,
  LayoutChangedError,
  type Lookup,
  type MessageContent,
  type Recovery,
  setShown,
  type Transport,
  type TransportRules,
} from '../../live-answer/index.ts';
import { ThreadDeletedError } from '../../ports/index.ts';
import type { CallFailure } from '../../index.ts';
import type { SentFile } from '../api/call.ts';
import { ERROR_CODES } from '../api/error-codes.ts';
import {
  classifyError,
  hasCode,
  isBlockedWords,
  isClosed,
  isForbidden,
  isOldEditLimit,
  getRefusalKind,
} from '../api/errors.ts';
import { ChannelUnreachableError } from '../posts/message-sender.ts';
import type { Messages } from '../posts/messages.ts';
import { type DiscordLayout, DiscordRendering, serializeFrame } from './rendering.ts';

/** In characters. */
const MIN_LIMIT = 500;
/** Discord does not say what is wrong with a message: a shorter one than this is not too long. */
const MIN_TOO_LONG_LENGTH = 1_000;

export type DiscordTransportDeps = {
  readonly turn: TurnRef;
  readonly maxMessages: number;
  /** Finds out how the messages can be sent. Called when the first request is due. */
  readonly open: () => Promise<Messages>;
  /** Messages that may be of this answer. */
  readonly find: () => Promise<readonly MessageId[]>;
  /** Sends files to the asker, where `error` says that they cannot be attached to the answer. Returns whether it did. May reject with `error`. */
  readonly sendFiles: (files: readonly SentFile[], error: unknown) => Promise<boolean>;
};

type Content = MessageContent<DiscordLayout>;

/** Shows the messages of one answer on Discord: by posts and edits, through the interaction token or as the bot. */
export class DiscordTransport implements Transport<DiscordLayout> {
  readonly streams = undefined;
  readonly rules: TransportRules<DiscordLayout>;
  readonly #deps: DiscordTransportDeps;
  readonly #rendering: DiscordRendering;
  #opening: Promise<Messages> | undefined;
  #messages: Messages | undefined;

  constructor(deps: DiscordTransportDeps) {
    this.#deps = deps;
    this.#rendering = new DiscordRendering(deps.turn, deps.maxMessages);
    this.rules = {
      platform: 'discord',
      minLimit: MIN_LIMIT,
      prepare: () => (this.#messages ? undefined : this.#open().then(() => undefined)),
      layOut: (content) => this.#rendering.layOut(content, this.#messages ?? UNOPENED),
      shows: (message, content) =>
        message.shown !== undefined &&
        message.frame === serializeFrame(this.#rendering.render(message, content)),
      fitStep: (step) => step,
      classifyError: classifyAnswerError,
      isRepeatable: ({ index }) => this.#messages?.isRepeatable(index) ?? false,
      recover: (error, message, content) => this.#recover(error, message, content),
    };
  }

  async post(message: AnswerMessage, content: Content): Promise<void> {
    const body = this.#rendering.render(message, content);
    const messages = await this.#open();
    const posted = await messages.post(message.index, message.generation, body);
    message.id = posted.id;
    // Discord answers a repeated post with the message of the first one, which may show something older.
    const isCurrent = posted.content === undefined || posted.content.trim() === body.content.trim();
    if (isCurrent) setShown(message, content.text, serializeFrame(body));
    else message.shown = undefined;
  }

  async edit(message: AnswerMessage, id: MessageId, content: Content): Promise<void> {
    message.shown = undefined;
    const body = this.#rendering.render(message, content);
    const messages = await this.#open();
    await messages.edit(id, body);
    setShown(message, content.text, serializeFrame(body));
  }

  async delete(id: MessageId): Promise<void> {
    const messages = await this.#open();
    await messages.remove(id).catch((error: unknown) => {
      if (getRefusalKind(error) === 'message-not-found') return;
      throw error instanceof ThreadDeletedError && isClosed(error) ? error.cause : error;
    });
  }

  async find({
    known,
  }: Lookup): Promise<{ readonly id: MessageId; readonly isStreaming: boolean } | undefined> {
    const orphans = await this.#deps.find().catch(() => []);
    const id = orphans.find((orphan) => !known.has(orphan));
    return id === undefined ? undefined : { id, isStreaming: false };
  }

  #open(): Promise<Messages> {
    this.#opening ??= this.#deps.open().then(
      (messages) => (this.#messages = messages),
      (error: unknown) => {
        this.#opening = undefined;
        throw error;
      },
    );
    return this.#opening;
  }

  async #recover(error: unknown, message: AnswerMessage, content: Content): Promise<Recovery> {
    const rendering = this.#rendering;
    const { content: words, components, files } = rendering.render(message, content);
    if (files.length > 0 && isForbidden(error)) {
      rendering.files = (await this.#deps.sendFiles(files, error)) ? 'direct-message' : 'left-out';
      throw new LayoutChangedError('the files cannot stand beside the answer', { cause: error });
    }
    if (error instanceof ThreadDeletedError || error instanceof ChannelUnreachableError) throw error;
    if (getRefusalKind(error) === 'message-not-found') return 'repost';
    if (isBlockedWords(error) && !rendering.isBlocked) {
      rendering.isBlocked = true;
      throw new LayoutChangedError('Discord blocks what the answer says', { cause: error });
    }
    if (message.id !== undefined && isUneditable(error)) return 'replace';
    if (!hasCode(error, ERROR_CODES.InvalidFormBodyOrContentType)) return 'nothing';
    if (components.length > 0) {
      rendering.hasComponents = false;
      return 'retry';
    }
    return words.length > MIN_TOO_LONG_LENGTH ? 'split' : 'nothing';
  }
}

/** Before the messages are opened nothing is known of the asker. */
const UNOPENED = { locale: 'en', quote: '' } as const;

/**
 * An interaction token that has expired is as final as a refusal of Discord's. So is the limit of edits of old messages: a new message in place of
 * the old one can be edited at once.
 */
const classifyAnswerError = (error: unknown): CallFailure => {
  if (error instanceof ChannelUnreachableError) return { kind: 'refused', code: 'unreachable' };
  return isOldEditLimit(error) ? { kind: 'refused', code: 'old-message' } : classifyError(error);
};

const isUneditable = (error: unknown): boolean =>
  isOldEditLimit(error) || hasCode(error, ERROR_CODES.CannotEditMessageAuthoredByAnotherUser);
