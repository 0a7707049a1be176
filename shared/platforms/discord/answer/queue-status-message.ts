import type { MessageId, TurnRef } from '../../../domain/index.ts';
import { RetryTimeoutError } from '../../retry.ts';
import { sanitize } from '../../markdown/index.ts';
import { retryDiscord } from '../api/errors.ts';
import { createMessages } from '../api/messages.ts';
import type { MessageSenderDeps } from '../api/message-sender.ts';
import type { AnswerMessage } from '../../live-answer/index.ts';

/** Tells the post of a line apart from those of the answer, whichever process makes them. */
const NTH = 9;
/** A wait that is left to another process is forgotten here when so many came after it. */
const MAX = 1_000;

/** A post of which nothing was heard is repeated for so long: an answer that is ready waits for it. */
const TIMEOUT_MS = 3_000;

type Line = {
  id: MessageId | undefined;
  /** Said by a post of which nobody knows whether it took effect. */
  doubt: string | undefined;
  last: Promise<unknown>;
};

/** A line that an answer begins with: `generation` is that of its post. */
export type TakenLine = Pick<AnswerMessage, 'id' | 'generation'>;

/**
 * How waits stand, where no deferral shows it: a small message of the bot's below the question. It becomes the first message
 * of the answer. A successor of this process finds it as a leftover of the turn.
 */
export class QueueStatusMessages {
  readonly #deps: MessageSenderDeps;
  readonly #lines = new Map<string, Line>();

  constructor(deps: MessageSenderDeps) {
    this.#deps = deps;
  }

  /** Shows this, in place of what was shown before. Rejects as Messages do. */
  async say(turn: TurnRef, words: string): Promise<void> {
    const line = this.#lineOf(turn);
    const said = line.last.then(() => this.#show(turn, line, words));
    line.last = said.catch(() => undefined);
    await said;
  }

  /** Whether there is such a message, or may be. */
  has(turn: TurnRef): boolean {
    return this.#lines.has(keyOf(turn));
  }

  /**
   * The message for the answer to begin with, if there is one; nothing more is said in it. One that may be there is posted
   * again, which tells which it is: otherwise it would stand beside the answer for good. If nothing is heard of that either,
   * the answer has to begin with the same post. Never rejects.
   */
  async take(turn: TurnRef): Promise<TakenLine | undefined> {
    const line = this.#lines.get(keyOf(turn));
    this.#lines.delete(keyOf(turn));
    await line?.last;
    if (line?.doubt !== undefined) await this.#show(turn, line, line.doubt).catch(() => undefined);
    if (line?.id === undefined && line?.doubt === undefined) return undefined;
    return { id: line.id, generation: NTH };
  }

  /** Removes the line, unless an answer has taken it. Rejects as Messages do. */
  async end(turn: TurnRef): Promise<void> {
    const { id } = (await this.take(turn)) ?? {};
    if (id !== undefined) await createMessages(this.#deps, turn, undefined).remove(id);
  }

  #lineOf(turn: TurnRef): Line {
    const known = this.#lines.get(keyOf(turn));
    if (known) return known;
    const line: Line = { id: undefined, doubt: undefined, last: Promise.resolve() };
    const [oldest] = this.#lines.keys();
    if (oldest !== undefined && this.#lines.size >= MAX) this.#lines.delete(oldest);
    this.#lines.set(keyOf(turn), line);
    return line;
  }

  async #show(turn: TurnRef, line: Line, words: string): Promise<void> {
    const messages = createMessages(this.#deps, turn, undefined);
    const body = { content: passing(words), components: [], files: [] };
    if (line.id === undefined) {
      const { time } = this.#deps;
      const patience = { time, deadline: time.now() + TIMEOUT_MS };
      line.doubt = words;
      const { id, content } = await retryDiscord(() => messages.post(0, NTH, body), patience).catch(
        (error: unknown) => {
          if (!(error instanceof RetryTimeoutError)) line.doubt = undefined;
          throw error;
        },
      );
      line.id = id;
      line.doubt = undefined;
      // A line that another process left may say something older.
      if (content === body.content) return;
    }
    await messages.edit(line.id, body);
  }
}

/** What the bot is doing, in small letters behind its name. */
export const passing = (words: string): string => `-# Parley ${sanitize(words)}`;

const keyOf = ({ thread, message }: TurnRef): string => `${thread.root}#${message}`;
