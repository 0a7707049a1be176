import type { Time } from '../index.ts';

/** How often an answer that is being written may be sent. */
export interface Pacing {
  /** Time between the end of one request and the next, in ms. `sent`: requests so far, at least one. */
  intervalMs(sent: number, isNative: boolean): number;
  /** The answer has something to send until the returned function is called. */
  begin(): () => void;
  /** A request has ended; the first one so many ms ago. */
  sent(sinceFirstMs: number): void;
  /** The platform asks to wait. */
  throttled(): void;
}

/** The pace of an answer that shares no rate limit with others. */
export const independentPacing = (intervalMs: Pacing['intervalMs']): Pacing => ({
  intervalMs,
  begin: () => () => undefined,
  sent: () => undefined,
  throttled: () => undefined,
});

/** Says when the next request of one answer may be sent. */
export class Pacer {
  readonly #time: Pick<Time, 'now'>;
  readonly #pacing: Pacing;
  #sent = 0;
  #firstAt = 0;
  #lastAt = 0;
  /** The platform asks to send nothing before. */
  #notBefore = 0;

  constructor(time: Pick<Time, 'now'>, pacing: Pacing) {
    this.#time = time;
    this.#pacing = pacing;
  }

  /** A request has ended, whether it succeeded or not. */
  sent(): void {
    this.#lastAt = this.#time.now();
    if (this.#sent === 0) this.#firstAt = this.#lastAt;
    this.#sent += 1;
    this.#pacing.sent(this.#lastAt - this.#firstAt);
  }

  /** The platform asks to wait `waitMs`. */
  throttled(waitMs: number): void {
    this.#notBefore = this.#time.now() + waitMs;
    this.#pacing.throttled();
  }

  /** Time until the next request, in ms; 0 or less if it is due. It can change during a wait, when other answers begin. */
  waitMs(isNative: boolean): number {
    if (this.#sent === 0) return 0;
    const interval = this.#pacing.intervalMs(this.#sent, isNative);
    return Math.max(this.#notBefore, this.#lastAt + interval) - this.#time.now();
  }
}
