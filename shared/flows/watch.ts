import type { MessageId, TurnRef } from '../conversation/index.ts';
import type { Platform } from '../platforms/platform.ts';
import type { Time } from '../runtime/time.ts';
import type { Marks } from '../store/index.ts';

/** Most answers are done before the first look; a longer one costs half a read unit a second. */
const LOOK_EVERY_MS = 1_000;

export type WatchDeps = {
  readonly marks: Pick<Marks, 'watch'>;
  readonly platform: Pick<Platform, 'noticed'>;
  readonly time: Time;
};

/** Looks, while an answer is being made, at what people do meanwhile: they may press Stop, edit, delete, ask more. */
export class Watch {
  readonly #deps: WatchDeps;
  readonly #turn: TurnRef;
  readonly #over = new AbortController();
  readonly #stopped = new AbortController();
  readonly #changed = new AbortController();
  readonly #noticed: Set<MessageId>;

  /** `known` were noticed before. */
  constructor(turn: TurnRef, known: readonly MessageId[], deps: WatchDeps) {
    this.#turn = turn;
    this.#deps = deps;
    this.#noticed = new Set(known);
    this.#run().catch(() => undefined);
  }

  /** Someone wants no more of this answer. */
  get stopped(): AbortSignal {
    return this.#stopped.signal;
  }

  /** The question is not what it was: it was edited or deleted, and a task that deals with this is on the queue. */
  get changed(): AbortSignal {
    return this.#changed.signal;
  }

  end(): void {
    this.#over.abort(new Error('the answer is done'));
  }

  async #run(): Promise<void> {
    const { signal } = this.#over;
    for (;;) {
      await this.#deps.time.sleep(LOOK_EVERY_MS, signal);
      await this.#look().catch(() => undefined);
    }
  }

  async #look(): Promise<void> {
    const { mark, waiting } = await this.#deps.marks.watch(this.#turn);
    if (this.#over.signal.aborted) return;
    if (mark === 'stopped') this.#stopped.abort(new Error('stopped'));
    else if (mark) this.#changed.abort(new Error(`the question was ${mark}`));
    for (const { turn } of waiting) {
      if (this.#noticed.has(turn.message)) continue;
      this.#noticed.add(turn.message);
      await this.#deps.platform.noticed(turn);
    }
  }
}
