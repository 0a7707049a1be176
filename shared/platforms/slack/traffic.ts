import type { Time } from '../patience.ts';

/** Says how many answers this process is showing in the workspace; resolves with how many all others are. */
export type TellOthers = (open: number) => Promise<number>;

/** Answers that are complete sooner are not worth a word to the others. */
const LASTING_MS = 8_000;
const TELL_EVERY_MS = 10_000;
/** How long the others' word counts. */
const COUNTS_MS = 20_000;

/** How many answers are being shown in a workspace: in this process, and, as far as it was told, in others. */
export class Traffic {
  readonly #time: Pick<Time, 'now'>;
  readonly #tell: TellOthers | undefined;
  #here = 0;
  #others = 0;
  #toldAt = -Infinity;
  #heardAt = -Infinity;

  constructor(time: Pick<Time, 'now'>, tell?: TellOthers) {
    this.#time = time;
    this.#tell = tell;
  }

  get open(): number {
    return this.#here + (this.#time.now() - this.#heardAt < COUNTS_MS ? this.#others : 0);
  }

  /** One more is shown, until the returned function is called. */
  begins(): () => void {
    this.#here += 1;
    return () => (this.#here -= 1);
  }

  /** One has been shown for so long by now: the others are told, at most every 10 s. Nobody waits for it. */
  lasts(ms: number): void {
    const now = this.#time.now();
    if (!this.#tell || ms < LASTING_MS || now - this.#toldAt < TELL_EVERY_MS) return;
    this.#toldAt = now;
    const heard = (others: number): void => {
      this.#others = others;
      this.#heardAt = now;
    };
    // Without the table each process keeps to the pace of its own answers; Slack then says when to wait.
    this.#tell(this.#here).then(heard, () => undefined);
  }
}
