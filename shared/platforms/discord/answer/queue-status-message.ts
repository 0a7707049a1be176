import type { MessageId, TurnRef } from '../../../domain/index.ts';
import type { AnswerMessage } from '../../live-answer/index.ts';
import { sanitize } from '../../markdown/index.ts';
import { RetryTimeoutError } from '../../index.ts';
import { SerialQueue } from '../../../utils/index.ts';
import { retryDiscord } from '../api/errors.ts';
import type { MessageSenderDeps } from '../posts/message-sender.ts';
import { createMessages } from '../posts/messages.ts';

/** The generation of a status message: in every process its post has another nonce than those of the answer. */
const STATUS_GENERATION = 9;
/** The maximum number of statuses, and of answers that took over. The oldest are dropped: another process has continued their answers. */
const MAX_STATUS_MESSAGES = 1_000;
/** Small print. No model's answer begins with it. */
const STATUS_PREFIX = '-# Parley ';
/** How long a post with an unknown outcome is retried. An answer that is ready waits for it. */
const POST_TIMEOUT_MS = 3_000;

type StatusMessage = {
  id: MessageId | undefined;
  /** The text of a post with an unknown outcome. */
  unconfirmed: string | undefined;
  /** Discord has returned a message that is an answer by now. Its text stays, and the wait is not shown. */
  isAnswer: boolean;
  readonly requests: SerialQueue;
};

/** A status message that becomes the first message of an answer. */
export type ReusableMessage = Pick<AnswerMessage, 'id' | 'generation'>;

/**
 * The statuses of waiting questions. Where there is no deferred response, the bot posts a small message below the question, which
 * becomes the first message of the answer. Another process that continues finds it as an orphaned message of the turn.
 *
 * A status that comes late must not replace the answer: its post has the nonce of the status message, for which Discord returns
 * for some minutes the message that is the answer by now. Two guards are needed, since neither sees what the other does:
 *
 * - `isAnswered`, known in this process, holds from the moment when the answer takes over. Until its first edit the message still
 *   shows a status, and a deferred response, which has no nonce, never tells.
 * - The content that Discord returns (`isAnswer`) shows that there is an answer of another process, and of an earlier one that is regenerated.
 */
export class QueueStatusMessages {
  readonly #deps: MessageSenderDeps;
  readonly #messages = new Map<string, StatusMessage>();
  /** Turns whose answer has taken over. */
  readonly #answered = new Set<string>();

  constructor(deps: MessageSenderDeps) {
    this.#deps = deps;
  }

  /** An answer of the turn may have statuses until it takes over. */
  begin(turn: TurnRef): void {
    this.#answered.delete(turnKey(turn));
  }

  /** Whether the answer has taken over: then no status is shown. */
  isAnswered(turn: TurnRef): boolean {
    return this.#answered.has(turnKey(turn));
  }

  /** Shows a status in place of the one before. Rejects as Messages do. */
  async show(turn: TurnRef, text: string): Promise<void> {
    const status = this.#getStatus(turn);
    await status.requests.run(() => this.#send(turn, status, text));
  }

  /** Whether there is a status message, or may be. */
  has(turn: TurnRef): boolean {
    return this.#messages.has(turnKey(turn));
  }

  /**
   * Hands the status message over to the answer, if there is one. An unconfirmed post is repeated, which returns its id: otherwise
   * the message would stay beside the answer. If that outcome is unknown too, the id is undefined, and the answer has to begin
   * with a post of the same generation. Never rejects.
   */
  async take(turn: TurnRef): Promise<ReusableMessage | undefined> {
    const [oldest] = this.#answered;
    if (oldest !== undefined && this.#answered.size >= MAX_STATUS_MESSAGES) this.#answered.delete(oldest);
    this.#answered.add(turnKey(turn));
    return this.#handOver(turn);
  }

  async #handOver(turn: TurnRef): Promise<ReusableMessage | undefined> {
    const status = this.#messages.get(turnKey(turn));
    this.#messages.delete(turnKey(turn));
    await status?.requests.drain();
    const { unconfirmed } = status ?? {};
    if (status && unconfirmed !== undefined)
      await this.#send(turn, status, unconfirmed).catch(() => undefined);
    if (status?.id === undefined && status?.unconfirmed === undefined) return undefined;
    return { id: status.id, generation: STATUS_GENERATION };
  }

  /** Deletes the status message, unless an answer has taken it. Rejects as Messages do. */
  async end(turn: TurnRef): Promise<void> {
    const { id } = (await this.#handOver(turn)) ?? {};
    this.#answered.delete(turnKey(turn));
    if (id !== undefined) await createMessages(this.#deps, turn, undefined).remove(id);
  }

  #getStatus(turn: TurnRef): StatusMessage {
    const known = this.#messages.get(turnKey(turn));
    if (known) return known;
    const status: StatusMessage = {
      id: undefined,
      unconfirmed: undefined,
      isAnswer: false,
      requests: new SerialQueue(),
    };
    const [oldest] = this.#messages.keys();
    if (oldest !== undefined && this.#messages.size >= MAX_STATUS_MESSAGES) this.#messages.delete(oldest);
    this.#messages.set(turnKey(turn), status);
    return status;
  }

  async #send(turn: TurnRef, status: StatusMessage, text: string): Promise<void> {
    if (status.isAnswer) return;
    const messages = createMessages(this.#deps, turn, undefined);
    const body = { content: formatStatus(text), components: [], files: [] };
    if (status.id === undefined) {
      const { time } = this.#deps;
      const retry = { time, deadline: time.now() + POST_TIMEOUT_MS };
      status.unconfirmed = text;
      const post = () => messages.post(0, STATUS_GENERATION, body);
      const { id, content } = await retryDiscord(post, retry).catch((error: unknown) => {
        if (!(error instanceof RetryTimeoutError)) status.unconfirmed = undefined;
        throw error;
      });
      status.unconfirmed = undefined;
      status.isAnswer = content !== undefined && !isStatus(content);
      if (status.isAnswer) return;
      status.id = id;
      // A message of another process may show an older text.
      if (content === body.content) return;
    }
    await messages.edit(status.id, body);
  }
}

/** A status as people see it: in small print behind the bot's name. */
export const formatStatus = (text: string): string => `${STATUS_PREFIX}${sanitize(text)}`;

const isStatus = (content: string): boolean => content.startsWith(STATUS_PREFIX);

const turnKey = ({ thread, message }: TurnRef): string => `${thread.root}#${message}`;
