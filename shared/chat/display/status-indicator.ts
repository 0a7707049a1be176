import { SerialQueue } from '../../utils/index.ts';
import type { TurnRef } from '../../domain/index.ts';
import type { Platform, StatusKind } from '../../platforms/ports/index.ts';
import type { Time } from '../../runtime/index.ts';
import { type Locale, localize, type TextMessage } from '../../i18n/index.ts';

export const STATUS_TEXTS: TextMessage = ['answers.status.thinking'];

/** An answer that begins sooner needs no status. */
const SHOW_AFTER_MS = 300;
/** From then on an answer takes long. */
const LONG_ANSWER_MS = 8_000;
/** The statuses of an answer that shows no other, and when they begin. */
const LONG_STATUS: readonly (readonly [ms: number, status: TextMessage])[] = [
  [SHOW_AFTER_MS, STATUS_TEXTS],
  [LONG_ANSWER_MS, ['answers.status.still']],
  [25_000, ['answers.status.patience']],
];
/** Slack removes a status after two minutes. */
const RENEW_INTERVAL_MS = 90_000;

export type StatusIndicatorOptions = {
  readonly platform: Pick<Platform, 'showStatus'>;
  readonly time: Time;
  /** Never rejects. */
  readonly locale: Promise<Locale>;
  /** The question was delivered before, and the asker has seen what it waits for. */
  readonly isRedelivery?: boolean | undefined;
  /** Called once if the answer takes long. */
  readonly onLong?: (() => void) | undefined;
};

/** The status below a question until the answer is visible. */
export class StatusIndicator {
  readonly #context: StatusIndicatorOptions;
  readonly #turn: TurnRef;
  readonly #ended = new AbortController();
  readonly #queue = new SerialQueue();
  #current: TextMessage | undefined;
  /** A status other than thinking was shown: the next one has to replace it. */
  #hasDetails = false;

  constructor(turn: TurnRef, context: StatusIndicatorOptions) {
    this.#context = context;
    this.#turn = turn;
    this.#wait(context.time).catch(() => undefined);
  }

  /** Shows a status behind the name of the bot, in place of the one before. */
  show(status: TextMessage): void {
    if (this.#ended.signal.aborted) return;
    this.#current = status;
    this.#hasDetails ||= !isIdle(status);
    const { platform, locale, isRedelivery = false } = this.#context;
    const kind = this.#hasDetails ? kindOf(status, isRedelivery) : 'work';
    void this.#queue.run(async () =>
      platform.showStatus(this.#turn, localize(await locale, ...status), kind),
    );
  }

  async #wait(time: Time): Promise<void> {
    const { signal } = this.#ended;
    const begin = time.now();
    for (const [at, status] of LONG_STATUS) {
      await time.sleep(Math.max(0, begin + at - time.now()), signal);
      if (at === LONG_ANSWER_MS) this.#context.onLong?.();
      if (this.#current === undefined || isIdle(this.#current)) this.show(status);
    }
    for (;;) {
      await time.sleep(RENEW_INTERVAL_MS, signal);
      if (this.#current !== undefined) this.show(this.#current);
    }
  }

  /** Keeps the last status: the answer comes in a later delivery. */
  keep(): void {
    this.#ended.abort(new Error('the answer comes later'));
  }

  /** Ends the status: something is visible now, or nothing will be. */
  async stop(): Promise<void> {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort(new Error('the answer is visible'));
    // The platform clears the status when a message appears, but not one whose request was still under way.
    if (this.#current === undefined) return;
    await this.#queue.run(() => this.#context.platform.showStatus(this.#turn, ''));
  }
}

const kindOf = ([key]: TextMessage, isRedelivery: boolean): StatusKind | undefined =>
  /^answers\.status\.(?:full|line|place)/u.test(key) ? (isRedelivery ? 'waiting' : 'wait') : undefined;

/** Whether a status says only that the bot works: a tool or a place in the queue say more. */
const isIdle = (status: TextMessage): boolean => LONG_STATUS.some(([, idle]) => idle === status);
