import type { TurnRef } from '../conversation/index.ts';
import type { Platform } from '../platforms/platform.ts';
import type { Time } from '../runtime/time.ts';

export const THINKING = 'is thinking…';

/** An answer that begins sooner than this needs no sign before it. */
const QUIET_MS = 300;
/** What is said from when on while nothing else is to be said, so that people see that something goes on. */
const PATIENCE: readonly (readonly [ms: number, words: string])[] = [
  [QUIET_MS, THINKING],
  [8_000, 'is still thinking…'],
  [25_000, 'is taking its time…'],
];
/** Slack drops a word that nobody renews after two minutes. */
const RENEW_MS = 90_000;

/** The passing word under a question until something of the answer is visible. */
export class Thinking {
  readonly #platform: Platform;
  readonly #turn: TurnRef;
  readonly #over = new AbortController();
  #last: Promise<void> = Promise.resolve();
  #words: string | undefined;

  constructor(platform: Platform, turn: TurnRef, time: Time) {
    this.#platform = platform;
    this.#turn = turn;
    this.#wait(time).catch(() => undefined);
  }

  /** Shows `words` after the name of the bot, until others take their place. */
  say(words: string): void {
    if (this.#over.signal.aborted) return;
    this.#words = words;
    this.#last = this.#last.then(() => this.#platform.status(this.#turn, words));
  }

  async #wait(time: Time): Promise<void> {
    const { signal } = this.#over;
    const begin = time.now();
    for (const [at, words] of PATIENCE) {
      await time.sleep(Math.max(0, begin + at - time.now()), signal);
      if (this.#words === undefined || isIdle(this.#words)) this.say(words);
    }
    for (;;) {
      await time.sleep(RENEW_MS, signal);
      if (this.#words !== undefined) this.say(this.#words);
    }
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
    if (this.#words !== undefined) await this.#last.then(() => this.#platform.status(this.#turn, ''));
  }
}

/** Nothing that a waiting person should read longer: a tool at work and a place in the line say more. */
const isIdle = (words: string): boolean => PATIENCE.some(([, idle]) => idle === words);
