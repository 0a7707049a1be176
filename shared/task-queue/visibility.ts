import type { Log, Time } from '../runtime/index.ts';
import type { TaskMessage } from './message.ts';
import { errorName } from '../utils/index.ts';

/**
 * A running process keeps its messages hidden; after a crash they are visible again within 18 to 23 s. The time
 * is random for each message, so that those of one process do not return in one batch.
 */
const MAX_HIDDEN_SECONDS = 23;
const MIN_HIDDEN_SECONDS = 18;
/** So often that one failed extension does no harm. */
const EXTEND_INTERVAL_MS = 8_000;
/** How long the first extension may delay the tasks. */
const FIRST_EXTENSION_TIMEOUT_MS = 1_000;

/**
 * The reason for ending a sleep early. Shared, because an abort without a reason creates a DOMException, which
 * is slow.
 */
export const NO_LONGER_NEEDED = new Error('not needed any more');

/** A message and how long it stays hidden from now. */
export type HiddenMessage = { readonly receipt: string; readonly seconds: number };

export type VisibilityDeps = {
  /**
   * Hides messages for the given seconds from now. Resolves with the receipt handles that are no longer valid:
   * the messages were received again or deleted. Rejects if the queue is unavailable.
   */
  readonly hide: (messages: readonly HiddenMessage[]) => Promise<readonly string[]>;
  readonly time: Time;
  /** In [0, 1). */
  readonly random: () => number;
  readonly log: Log;
};

/** Keeps the messages of a process hidden while it works on them. */
export class Visibility {
  readonly #deps: VisibilityDeps;
  readonly #hidden = new Map<string, HiddenMessage>();
  readonly #ended = new AbortController();

  constructor(deps: VisibilityDeps) {
    this.#deps = deps;
    void this.#extendUntilOver();
  }

  /**
   * Starts extending messages. Resolves with those that still belong to this process as soon as the queue
   * replied, or with all after a second. From then on, after a crash the messages are hidden for at most 23 s,
   * and not for the queue's own timeout of minutes.
   */
  async hold(messages: readonly TaskMessage[]): Promise<readonly TaskMessage[]> {
    this.adopt(messages);
    const hidden = messages.flatMap(({ id }) => this.#hidden.get(id) ?? []);
    const stop = new AbortController();
    const late = this.#deps.time
      .sleep(FIRST_EXTENSION_TIMEOUT_MS, stop.signal)
      .catch(() => undefined)
      .then((): readonly string[] => []);
    const lost = await Promise.race([this.#hide(hidden), late]);
    stop.abort(NO_LONGER_NEEDED);
    const remaining = messages.filter(({ receipt }) => !lost.includes(receipt));
    for (const message of messages) if (!remaining.includes(message)) this.release(message);
    return remaining;
  }

  /** Returns how long to hide a message that is received now. */
  seconds(): number {
    const span = MAX_HIDDEN_SECONDS - MIN_HIDDEN_SECONDS + 1;
    return MIN_HIDDEN_SECONDS + Math.floor(this.#deps.random() * span);
  }

  /** Starts extending messages that were received with `seconds()`. */
  adopt(messages: readonly TaskMessage[]): void {
    for (const { id, receipt } of messages) this.#hidden.set(id, { receipt, seconds: this.seconds() });
  }

  /** Stops extending a message: it is done or returned. If this process has received it again, that delivery is still extended. */
  release({ id, receipt }: TaskMessage): void {
    if (this.#hidden.get(id)?.receipt === receipt) this.#hidden.delete(id);
  }

  get size(): number {
    return this.#hidden.size;
  }

  /** Stops extending all messages. */
  end(): void {
    this.#ended.abort(NO_LONGER_NEEDED);
  }

  async #extendUntilOver(): Promise<void> {
    const { signal } = this.#ended;
    for (;;) {
      await this.#deps.time.sleep(EXTEND_INTERVAL_MS, signal).catch(() => undefined);
      if (signal.aborted) return;
      if (this.#hidden.size > 0) await this.#hide([...this.#hidden.values()]);
    }
  }

  /** Not critical: the next extension comes in time. */
  async #hide(messages: readonly HiddenMessage[]): Promise<readonly string[]> {
    try {
      return await this.#deps.hide(messages);
    } catch (error) {
      const name = errorName(error);
      this.#deps.log('task.visibility-extension-failed', { count: messages.length, error: name });
      return [];
    }
  }
}
