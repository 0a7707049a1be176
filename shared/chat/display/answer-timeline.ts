import type { AnswerTimings as Told } from '../../domain/index.ts';

/** How an answer comes about, noted as it happens. Times are ms since 1970. */
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

  /** A request is about to leave. */
  sent(at: number): void {
    this.#sentAt ??= at;
    this.#requests += 1;
  }

  /** Whether a request has left, or is about to. */
  get isSent(): boolean {
    return this.#requests > 0;
  }

  /** Words have come. */
  said(at: number): void {
    this.#firstAt ??= at;
  }

  /** All of it, in few bytes. What never happened counts as having happened at the end. */
  ended(at: number): Told {
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
