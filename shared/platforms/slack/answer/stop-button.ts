import type { MessageId } from '../../../domain/index.ts';
import type { AnswerState } from '../../live-answer/index.ts';
import type { StopBlocks } from '../blocks/answer-blocks.ts';
import { failureOf, nameOf } from '../api/errors.ts';
import type { Log, Time } from '../deps.ts';
import type { Messages } from '../posts/messages.ts';

/** An answer that is complete sooner needs no Stop button. */
const OFFER_AFTER_MS = 5_000;
/** The number of the button's message among the parts of its answer, larger than any answer has. */
const STOP_PART = 1_000;

export type StopButtonDeps = {
  readonly answer: Pick<AnswerState, 'replaced' | 'unconfirmedPosts'>;
  readonly messages: Messages;
  /** Whether Slack shows its own Stop in this thread. Rejects when that is unknown. */
  readonly showsStop: () => Promise<boolean>;
  readonly stop: StopBlocks;
  /** Whether words are appended to a native stream. A message that is edited has its own Stop button. */
  readonly isAppending: () => boolean;
  readonly time: Time;
  readonly log?: Log | undefined;
};

/**
 * A Stop button in a small message below a native stream that takes long, where Slack shows no Stop. It cannot be in the
 * stream: removing it there needs an edit of the whole message, which loses the task cards.
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

  /** Posts the button if the answer takes long by now. Called while text is written, not by a timer, so that it stops with it. */
  goesOn(): void {
    const now = this.#deps.time.now();
    this.#since ??= now;
    if (now - this.#since < OFFER_AFTER_MS || !this.#deps.isAppending()) return;
    this.#running ??= this.#offer().catch((error: unknown) => this.#failed(error));
  }

  /** The message of the button, if it was posted. */
  async posted(): Promise<MessageId[]> {
    await this.#running;
    return this.#id === undefined ? [] : [this.#id];
  }

  /** Hands the message over to be deleted with other surplus messages of the answer. */
  async end(): Promise<void> {
    this.#over = true;
    this.#deps.answer.replaced.push(...(await this.posted()));
    this.#id = undefined;
  }

  async #offer(): Promise<void> {
    const { messages, showsStop, stop } = this.#deps;
    // If it is unknown, Slack's own is likely shown.
    if ((await showsStop().catch(() => true)) || this.#over) return;
    const blocks = await stop();
    if (!this.#over) this.#id = await messages.post(STOP_PART, { blocks, text: '⏹' });
  }

  #failed(error: unknown): void {
    const { answer, log } = this.#deps;
    const failure = failureOf(error);
    // It may have been posted; it is found later by its number.
    if (failure.kind === 'unknown') answer.unconfirmedPosts += 1;
    log?.('slack.stop-button-failed', { reason: nameOf(failure) });
  }
}
