import type { AnswerTimings } from '../../domain/index.ts';

/** Collects the times of an answer, in ms since 1970. */
export class AnswerTimeline {
  readonly receivedAt: number;
  readonly #begunAt: number;
  #sentAt: number | undefined;
  #firstAt: number | undefined;
  #requests = 0;

  constructor(receivedAt: number | undefined, begunAt: number) {
    this.receivedAt = receivedAt ?? begunAt;
    this.#begunAt = begunAt;
  }

  /** A request is about to be sent. */
  sent(at: number): void {
    this.#sentAt ??= at;
    this.#requests += 1;
  }

  /** Whether a request was sent, or is about to be. */
  get isSent(): boolean {
    return this.#requests > 0;
  }

  /** The model has sent words. */
  wordsReceived(at: number): void {
    this.#firstAt ??= at;
  }

  /** All times in a compact form. What has not happened counts as if it happened at the end. */
  ended(at: number): AnswerTimings {
    const after = (moment: number | undefined): number => Math.max(0, (moment ?? at) - this.receivedAt);
    return [
      this.receivedAt,
      after(this.#begunAt),
      after(this.#sentAt),
      after(this.#firstAt),
      after(at),
      this.#requests,
    ];
  }
}
