import type { TurnRef } from '../conversation/index.ts';
import type { Platform } from '../platforms/platform.ts';
import type { Time } from '../runtime/time.ts';

/** An answer that begins sooner than this needs no sign before it. */
const QUIET_MS = 300;

/** The passing word under a question until something of the answer is visible. */
export class Thinking {
  readonly #platform: Platform;
  readonly #turn: TurnRef;
  readonly #over = new AbortController();
  #last: Promise<void> = Promise.resolve();
  #shown = false;

  constructor(platform: Platform, turn: TurnRef, time: Time) {
    this.#platform = platform;
    this.#turn = turn;
    time
      .sleep(QUIET_MS, this.#over.signal)
      .then(() => this.#shown || this.say('is thinking…'))
      .catch(() => undefined);
  }

  /** Shows `words` after the name of the bot. */
  say(words: string): void {
    if (this.#over.signal.aborted) return;
    this.#shown = true;
    this.#last = this.#last.then(() => this.#platform.status(this.#turn, words));
  }

  /** Leaves the last word standing: the answer comes in a later delivery. */
  leave(): void {
    this.#over.abort(new Error('the answer comes later'));
  }

  /** Something is visible now, or nothing will be. */
  async stop(): Promise<void> {
    if (this.#over.signal.aborted) return;
    this.#over.abort(new Error('the answer is visible'));
    // The platform clears the word itself when a message appears, but not one that was still on its way.
    if (this.#shown) await this.#last.then(() => this.#platform.status(this.#turn, ''));
  }
}
