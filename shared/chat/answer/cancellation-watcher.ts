import type { MessageId, TurnRef } from '../../domain/index.ts';
import type { Platform } from '../../platforms/ports/index.ts';
import { QueuedRequestError } from '../../rate-limits/index.ts';
import type { Time } from '../../runtime/index.ts';
import type { StoredSignal, TurnSignal, TurnSignals } from '../../storage/index.ts';
import { SerialQueue } from '../../utils/index.ts';
import type { AnswerWork } from '../access/with-claim.ts';

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
  readonly acknowledged: readonly MessageId[];
  /**
   * The key of the last edit that the answer includes. This signal and earlier ones stay stored until the
   * turn ends, and a platform may deliver the edit again.
   */
  readonly includedEdit: string | undefined;
  /** The key of a signal about the previous answer of a regenerated turn. */
  readonly previousKey: string | undefined;
  /** Signals that do not concern this work. */
  readonly ignoredSignals: readonly TurnSignal[];
};

/** Whether a signal concerns this work and is not handled yet. */
export const isNewSignal = (
  stored: StoredSignal | undefined,
  known: Omit<KnownSignals, 'acknowledged'>,
): stored is StoredSignal => stored !== undefined && !isKnown(stored, known);

function isKnown(
  { signal, key }: StoredSignal,
  { includedEdit, previousKey, ignoredSignals }: Omit<KnownSignals, 'acknowledged'>,
): boolean {
  if (ignoredSignals.includes(signal)) return true;
  if (key === undefined) return false;
  return key === previousKey || (signal === 'edited' && includedEdit !== undefined && key <= includedEdit);
}

/** Polls, while an answer streams, for Stop, edits, deletions and new questions. */
export class CancellationWatcher {
  readonly #context: CancellationContext;
  readonly #turn: TurnRef;
  readonly #finished = new AbortController();
  readonly #stopped = new AbortController();
  readonly #changed = new AbortController();
  readonly #known: KnownSignals;
  readonly #acknowledged: Set<MessageId>;
  /** A platform may be slow to acknowledge a question, or to many of them: the next poll does not wait for that. */
  readonly #acknowledgements = new SerialQueue();

  /** `initial`: the signal of the turn at the start. */
  constructor(turn: TurnRef, known: KnownSignals, context: CancellationContext, initial?: StoredSignal) {
    this.#turn = turn;
    this.#context = context;
    this.#known = known;
    this.#acknowledged = new Set(known.acknowledged);
    this.#handle(initial);
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

  #handle(stored: StoredSignal | undefined): void {
    if (!isNewSignal(stored, this.#known)) return;
    if (stored.signal === 'stopped') this.#stopped.abort(new Error('stopped'));
    else this.#changed.abort(new Error(`the question was ${stored.signal}`));
  }

  async #poll(): Promise<void> {
    const { signal, waiting } = await this.#context.signals.poll(this.#turn);
    if (this.#finished.signal.aborted) return;
    this.#handle(signal);
    for (const { turn } of waiting) {
      if (this.#acknowledged.has(turn.message)) continue;
      this.#acknowledged.add(turn.message);
      this.#acknowledge(turn);
    }
  }

  #acknowledge(turn: TurnRef): void {
    const acknowledge = async (): Promise<void> => {
      if (!this.#finished.signal.aborted) await this.#context.platform.acknowledge(turn);
    };
    this.#acknowledgements.run(acknowledge).catch(() => undefined);
  }
}

/**
 * Returns the same work with one more check immediately before the first request: if one of these questions was deleted meanwhile, such as during the
 * wait for a permit, nothing is sent. The task returns to the queue, and its next delivery leaves the deleted question out. Only for turns with several
 * questions: the deletion of a single one is a signal on its turn. Not checked on the last delivery, or if the table is unavailable.
 */
export function withDeletionCheck(work: AnswerWork, questions: readonly MessageId[]): AnswerWork {
  const { turn, lease, delivery, context } = work;
  if (questions.every((message) => message === turn.message) || delivery.isLast) return work;
  let isChecked = false;
  const confirm = async (): Promise<void> => {
    await lease.confirm();
    if (isChecked) return;
    isChecked = true;
    const deleted = await context.turns.findDeleted(turn.thread, questions).catch(() => undefined);
    if (deleted && deleted.size > 0) throw new QueuedRequestError(0);
  };
  return { ...work, lease: { ...lease, confirm } };
}
