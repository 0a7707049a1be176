import type { MessageId, TurnRef } from '../../domain/index.ts';
import type { Platform } from '../../platforms/ports/platform.ts';
import type { Time } from '../../runtime/time.ts';
import type { StoredSignal, TurnSignals } from '../../storage/index.ts';

/** Most answers are done before the first look; a longer one costs half a read unit a second. */
const POLL_INTERVAL_MS = 1_000;

export type CancellationContext = {
  readonly signals: Pick<TurnSignals, 'poll'>;
  readonly platform: Pick<Platform, 'acknowledge'>;
  readonly time: Time;
};

/** What needs no looking at any more. */
export type KnownSignals = {
  /** Questions that people were shown to have been noticed. */
  readonly noticed: readonly MessageId[];
  /**
   * The last edit that the answer takes in. Its mark, and those of edits before it, stay until the turn ends; and a
   * platform may tell of it again.
   */
  readonly granted?: string | undefined;
  /** What an answer that is made anew was marked with before: that is not about this one. */
  readonly wish?: string | undefined;
};

/** Whether a mark is about the work at hand, and not dealt with yet. */
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

/** Looks, while an answer is being made, at what people do meanwhile: they may press Stop, edit, delete, ask more. */
export class CancellationWatcher {
  readonly #context: CancellationContext;
  readonly #turn: TurnRef;
  readonly #over = new AbortController();
  readonly #stopped = new AbortController();
  readonly #changed = new AbortController();
  readonly #known: KnownSignals;
  readonly #noticed: Set<MessageId>;

  /** `found` is the mark that the turn has when the work begins. */
  constructor(turn: TurnRef, known: KnownSignals, context: CancellationContext, found?: StoredSignal) {
    this.#turn = turn;
    this.#context = context;
    this.#known = known;
    this.#noticed = new Set(known.noticed);
    this.#see(found);
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
      await this.#context.time.sleep(POLL_INTERVAL_MS, signal);
      await this.#look().catch(() => undefined);
    }
  }

  #see(marked: StoredSignal | undefined): void {
    if (!isNews(marked, this.#known)) return;
    if (marked.signal === 'stopped') this.#stopped.abort(new Error('stopped'));
    else this.#changed.abort(new Error(`the question was ${marked.signal}`));
  }

  async #look(): Promise<void> {
    const { marked, waiting } = await this.#context.signals.poll(this.#turn);
    if (this.#over.signal.aborted) return;
    this.#see(marked);
    for (const { turn } of waiting) {
      if (this.#noticed.has(turn.message)) continue;
      this.#noticed.add(turn.message);
      await this.#context.platform.acknowledge(turn);
    }
  }
}
