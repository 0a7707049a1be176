import type { MessageId, TurnRef } from '../../domain/index.ts';
import type { Platform } from '../../platforms/ports/platform.ts';
import type { Time } from '../../runtime/time.ts';
import type { StoredSignal, TurnSignals } from '../../storage/index.ts';

/** Most answers end before the first poll; each poll costs half a read unit. */
const POLL_INTERVAL_MS = 1_000;

export type CancellationContext = {
  readonly signals: Pick<TurnSignals, 'poll'>;
  readonly platform: Pick<Platform, 'acknowledge'>;
  readonly time: Time;
};

/** Signals that are already handled. */
export type KnownSignals = {
  /** Questions that were already acknowledged. */
  readonly noticed: readonly MessageId[];
  /**
   * The last edit that the answer takes in. Its mark, and those of edits before it, stay until the turn ends; and a
   * platform may tell of it again.
   */
  readonly granted?: string | undefined;
  /** What an answer that is made anew was marked with before: that is not about this one. */
  readonly wish?: string | undefined;
};

/** Whether a signal concerns this work and is not handled yet. */
export const isNews = (
  marked: StoredSignal | undefined,
  known: Omit<KnownSignals, 'noticed'>,
): marked is StoredSignal => marked !== undefined && !isKnown(marked, known);

function isKnown(
  { signal: mark, key: wish }: StoredSignal,
  { granted, wish: before }: Omit<KnownSignals, 'noticed'>,
): boolean {
  if (wish === undefined) return false;
  return wish === before || (mark === 'edited' && granted !== undefined && wish <= granted);
}

/** Polls, while an answer streams, for Stop, edits, deletions and new questions. */
export class CancellationWatcher {
  readonly #context: CancellationContext;
  readonly #turn: TurnRef;
  readonly #finished = new AbortController();
  readonly #stopped = new AbortController();
  readonly #changed = new AbortController();
  readonly #known: KnownSignals;
  readonly #noticed: Set<MessageId>;

  /** `found`: the signal of the turn at the start. */
  constructor(turn: TurnRef, known: KnownSignals, context: CancellationContext, found?: StoredSignal) {
    this.#turn = turn;
    this.#context = context;
    this.#known = known;
    this.#noticed = new Set(known.noticed);
    this.#handle(found);
    this.#run().catch(() => undefined);
  }

  /** Aborted when a person stops the answer. */
  get stopped(): AbortSignal {
    return this.#stopped.signal;
  }

  /** Aborted when the question is edited or deleted; a task for this is queued. */
  get changed(): AbortSignal {
    return this.#changed.signal;
  }

  end(): void {
    this.#finished.abort(new Error('the answer is done'));
  }

  async #run(): Promise<void> {
    const { signal } = this.#finished;
    for (;;) {
      await this.#context.time.sleep(POLL_INTERVAL_MS, signal);
      await this.#poll().catch(() => undefined);
    }
  }

  #handle(marked: StoredSignal | undefined): void {
    if (!isNews(marked, this.#known)) return;
    if (marked.signal === 'stopped') this.#stopped.abort(new Error('stopped'));
    else this.#changed.abort(new Error(`the question was ${marked.signal}`));
  }

  async #poll(): Promise<void> {
    const { marked, waiting } = await this.#context.signals.poll(this.#turn);
    if (this.#finished.signal.aborted) return;
    this.#handle(marked);
    for (const { turn } of waiting) {
      if (this.#noticed.has(turn.message)) continue;
      this.#noticed.add(turn.message);
      await this.#context.platform.acknowledge(turn);
    }
  }
}
