import type { Budget, Time } from '../deps.ts';
import { appendInterval } from './append-interval.ts';
import type { StreamLoad } from './stream-load.ts';

/** When the next piece of one answer may be sent. */
export class AppendScheduler {
  readonly #time: Pick<Time, 'now'>;
  readonly #budget: Budget;
  readonly #traffic: StreamLoad;
  #sent = 0;
  #beganAt = 0;
  #sentAt = 0;
  /** Slack asks to send nothing before. */
  #notBefore = 0;

  constructor({ time, budget, traffic }: { time: Pick<Time, 'now'>; budget: Budget; traffic: StreamLoad }) {
    this.#time = time;
    this.#budget = budget;
    this.#traffic = traffic;
  }

  /** A piece was sent, or failed to be. */
  sent(): void {
    this.#sentAt = this.#time.now();
    if (this.#sent === 0) this.#beganAt = this.#sentAt;
    this.#sent += 1;
    this.#traffic.lasts(this.#sentAt - this.#beganAt);
  }

  /** Slack asks to wait so long, in ms. */
  refused(waitMs: number): void {
    this.#notBefore = this.#time.now() + waitMs;
    this.#traffic.refused();
  }

  /**
   * ms from now; 0 or less if it is due. To be asked anew after each wait: of other answers that are being shown it may
   * be heard meanwhile.
   */
  wait(native: boolean): number {
    if (this.#sent === 0) return 0;
    const perMinute = native ? this.#budget.appendsPerMinute : this.#budget.updatesPerMinute;
    const step = appendInterval({ sent: this.#sent, open: this.#traffic.open, perMinute });
    return Math.max(this.#notBefore, this.#sentAt + step) - this.#time.now();
  }
}
