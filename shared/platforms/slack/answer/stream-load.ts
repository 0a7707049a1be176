import type { Time } from '../../retry.ts';

/** Says how many answers this process is showing in the workspace; resolves with how many all others are. */
export type TellOthers = (open: number) => Promise<number>;

/** Answers that are complete sooner are not worth a word to the others. */
const LASTING_MS = 300;
/**
 * Whoever begins together hears of those who told before: a moment later all have told. From then on what changes may be
 * heard of later.
 */
const TELL_AGAIN_MS = 1_500;
const UPDATE_INTERVAL_MS = 10_000;
/** Where nothing is heard of others, and Slack asks to wait, they count as showing no less than this process. */
const WARY_MS = 180_000;
/** How long the others' word counts. */
const COUNTS_MS = 20_000;

/** How many answers are being shown in a workspace: in this process, and, as far as it was told, in others. */
export class StreamLoad {
  readonly #time: Pick<Time, 'now'>;
  readonly #tell: TellOthers | undefined;
  #here = 0;
  #others = 0;
  #toldAt = -Infinity;
  /** How long this word to the others is enough. */
  #tellNextMs = 0;
  #heardAt = -Infinity;
  #refusedAt = -Infinity;

  constructor(time: Pick<Time, 'now'>, tell?: TellOthers) {
    this.#time = time;
    this.#tell = tell;
  }

  get open(): number {
    const now = this.#time.now();
    if (now - this.#heardAt < COUNTS_MS) return this.#here + this.#others;
    return now - this.#refusedAt < WARY_MS ? 2 * this.#here : this.#here;
  }

  /** One more is shown, until the returned function is called. */
  begins(): () => void {
    this.#here += 1;
    return () => (this.#here -= 1);
  }

  /** Slack asks to wait. */
  refused(): void {
    this.#refusedAt = this.#time.now();
  }

  /** One has been shown for so long by now: the others are told, soon once more, then every 10 s. Nobody waits for it. */
  lasts(ms: number): void {
    const now = this.#time.now();
    const since = now - this.#toldAt;
    if (!this.#tell || ms < LASTING_MS || since < this.#tellNextMs) return;
    this.#tellNextMs = since > COUNTS_MS ? TELL_AGAIN_MS : UPDATE_INTERVAL_MS;
    this.#toldAt = now;
    const heard = (others: number): void => {
      this.#others = others;
      this.#heardAt = now;
    };
    // Without the table each process keeps to the pace of its own answers; Slack then says when to wait.
    this.#tell(this.#here).then(heard, () => undefined);
  }
}
