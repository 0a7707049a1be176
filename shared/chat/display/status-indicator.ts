import type { TurnRef } from '../../domain/index.ts';
import type { Platform, StatusKind } from '../../platforms/ports/platform.ts';
import type { Time } from '../../runtime/time.ts';
import { type Locale, localize, type TextMessage } from '../../i18n/index.ts';

export const STATUS_TEXTS: TextMessage = ['answers.status.thinking'];

/** An answer that begins sooner than this needs no sign before it. */
const SHOW_AFTER_MS = 300;
/** What is said from when on while nothing else is to be said, so that people see that something goes on. */
const LONG_ANSWER_MS = 8_000;
const LONG_STATUS: readonly (readonly [ms: number, saying: TextMessage])[] = [
  [SHOW_AFTER_MS, STATUS_TEXTS],
  [LONG_ANSWER_MS, ['answers.status.still']],
  [25_000, ['answers.status.patience']],
];
/** Slack drops a word that nobody renews after two minutes. */
const RENEW_INTERVAL_MS = 90_000;

export type StatusIndicatorOptions = {
  readonly platform: Pick<Platform, 'showStatus'>;
  readonly time: Time;
  /** Never rejects. */
  readonly locale: Promise<Locale>;
  /** The question came before, and whoever asked was told what it waits for. */
  readonly again?: boolean | undefined;
  /** Called once it takes long. */
  readonly long?: (() => void) | undefined;
};

/** The passing word under a question until something of the answer is visible. */
export class StatusIndicator {
  readonly #context: StatusIndicatorOptions;
  readonly #turn: TurnRef;
  readonly #over = new AbortController();
  #last: Promise<void> = Promise.resolve();
  #saying: TextMessage | undefined;
  /** More than thinking was said: what is said next has to take its place. */
  #told = false;

  constructor(turn: TurnRef, context: StatusIndicatorOptions) {
    this.#context = context;
    this.#turn = turn;
    this.#wait(context.time).catch(() => undefined);
  }

  /** Shows this after the name of the bot, until something else takes its place. */
  say(saying: TextMessage): void {
    if (this.#over.signal.aborted) return;
    this.#saying = saying;
    this.#told ||= !isIdle(saying);
    const { platform, locale, again = false } = this.#context;
    const kind = this.#told ? kindOf(saying, again) : 'work';
    this.#last = this.#last.then(async () =>
      platform.showStatus(this.#turn, localize(await locale, ...saying), kind),
    );
  }

  async #wait(time: Time): Promise<void> {
    const { signal } = this.#over;
    const begin = time.now();
    for (const [at, saying] of LONG_STATUS) {
      await time.sleep(Math.max(0, begin + at - time.now()), signal);
      if (at === LONG_ANSWER_MS) this.#context.long?.();
      if (this.#saying === undefined || isIdle(this.#saying)) this.say(saying);
    }
    for (;;) {
      await time.sleep(RENEW_INTERVAL_MS, signal);
      if (this.#saying !== undefined) this.say(this.#saying);
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
    if (this.#saying === undefined) return;
    await this.#last.then(() => this.#context.platform.showStatus(this.#turn, ''));
  }
}

const kindOf = ([key]: TextMessage, again: boolean): StatusKind | undefined =>
  /^answers\.status\.(?:full|line|place)/u.test(key) ? (again ? 'waiting' : 'wait') : undefined;

/** Nothing that a waiting person should read longer: a tool at work and a place in the line say more. */
const isIdle = (saying: TextMessage): boolean => LONG_STATUS.some(([, idle]) => idle === saying);
