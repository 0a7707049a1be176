import type { MessageId } from '../../../domain/index.ts';
import type { AnswerState } from '../../live-answer/index.ts';
import type { StopBlocks } from '../blocks/answer-blocks.ts';
import { failureOf, nameOf } from '../api/errors.ts';
import type { Log, Time } from '../deps.ts';
import type { Messages } from '../posts/messages.ts';

/** An answer that is complete sooner needs no Stop. */
const OFFER_AFTER_MS = 5_000;
/** The mark of the message among the parts of its answer: behind all that an answer ever has. */
const STOP_PART = 1_000;

export type StopButtonDeps = {
  readonly answer: Pick<AnswerState, 'replaced' | 'unconfirmedPosts'>;
  readonly messages: Messages;
  /** Whether Slack shows a Stop of its own in this thread. Rejects where that cannot be told. */
  readonly showsStop: () => Promise<boolean>;
  readonly stop: StopBlocks;
  /** Whether words are appended to a native stream. A message that is edited has its own Stop button. */
  readonly isAppending: () => boolean;
  readonly time: Time;
  readonly log?: Log | undefined;
};

/**
 * A Stop in a small message below a native stream that takes long, where Slack has none. It cannot be in the stream: what
 * was streamed can only be taken out by an edit of the whole, which loses the task cards.
 */
export class StopButton {
  readonly #deps: StopButtonDeps;
  #since: number | undefined;
  #running: Promise<void> | undefined;
  #over = false;
  #id: MessageId | undefined;

  constructor(deps: StopButtonDeps) {
    this.#deps = deps;
  }

  /** The answer goes on: by now it may have taken long. Called by no clock, so that it ends with who writes. */
  goesOn(): void {
    const now = this.#deps.time.now();
    this.#since ??= now;
    if (now - this.#since < OFFER_AFTER_MS || !this.#deps.isAppending()) return;
    this.#running ??= this.#offer().catch((error: unknown) => this.#failed(error));
  }

  /** The message, if it stands there. */
  async posted(): Promise<MessageId[]> {
    await this.#running;
    return this.#id === undefined ? [] : [this.#id];
  }

  /** Nothing is left to stop: the message is handed over to be removed with what the answer has too many. */
  async end(): Promise<void> {
    this.#over = true;
    this.#deps.answer.replaced.push(...(await this.posted()));
    this.#id = undefined;
  }

  async #offer(): Promise<void> {
    const { messages, showsStop, stop } = this.#deps;
    // Where it cannot be told, the one of the stream is likely there.
    if ((await showsStop().catch(() => true)) || this.#over) return;
    const blocks = await stop();
    if (!this.#over) this.#id = await messages.post(STOP_PART, { blocks, text: '⏹' });
  }

  #failed(error: unknown): void {
    const { answer, log } = this.#deps;
    const failure = failureOf(error);
    // It may stand there: a later look finds it by its mark.
    if (failure.kind === 'unknown') answer.unconfirmedPosts += 1;
    log?.('slack.no_stop', { reason: nameOf(failure) });
  }
}
