import type { Log } from '../runtime/log.ts';
import type { Time } from '../runtime/time.ts';
import type { TaskMessage } from './message.ts';

/**
 * While a process lives it keeps its messages hidden; once it died, they are visible again after 18 to 23 s. Each has a time of its
 * own within that, so that those of one process do not come back as one batch.
 */
export const MAX_HIDDEN_SECONDS = 23;
const MIN_HIDDEN_SECONDS = 18;
/** Extended so often that one failed call does no harm. */
const EXTEND_INTERVAL_MS = 8_000;
/** How long the first extension may hold up the tasks. */
const FIRST_EXTENSION_TIMEOUT_MS = 1_000;

/** Why a sleep ends early. One for all: an abort without a reason makes a DOMException, which takes longer than all the rest. */
export const NOT_NEEDED = new Error('not needed any more');

/** How long a message stays hidden from now on. */
export type HiddenMessage = { readonly receipt: string; readonly seconds: number };

export type VisibilityDeps = {
  /**
   * Hides messages from other processes for so long from now. Resolves with the receipts that are void: another process has those messages, or
   * they are gone. Rejects when the queue cannot be reached.
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
  readonly #held = new Map<string, HiddenMessage>();
  readonly #over = new AbortController();

  constructor(deps: VisibilityDeps) {
    this.#deps = deps;
    void this.#extendUntilOver();
  }

  /**
   * Takes charge of messages. Resolves with those that are this process's once the queue knows, or with all after a second: a process that
   * dies later leaves its messages hidden for 23 s, and not for the minutes that Lambda asks of the queue itself.
   */
  async hold(messages: readonly TaskMessage[]): Promise<readonly TaskMessage[]> {
    this.adopt(messages);
    const hidden = messages.flatMap(({ id }) => this.#held.get(id) ?? []);
    const stop = new AbortController();
    const late = this.#deps.time
      .sleep(FIRST_EXTENSION_TIMEOUT_MS, stop.signal)
      .catch(() => undefined)
      .then((): readonly string[] => []);
    const lost = await Promise.race([this.#hide(hidden), late]);
    stop.abort(NOT_NEEDED);
    const held = messages.filter(({ receipt }) => !lost.includes(receipt));
    for (const message of messages) if (!held.includes(message)) this.release(message);
    return held;
  }

  /** For how long a message is hidden that is received now. */
  seconds(): number {
    const span = MAX_HIDDEN_SECONDS - MIN_HIDDEN_SECONDS + 1;
    return MIN_HIDDEN_SECONDS + Math.floor(this.#deps.random() * span);
  }

  /** Takes charge of messages that were received hidden for `seconds()`. */
  adopt(messages: readonly TaskMessage[]): void {
    for (const { id, receipt } of messages) this.#held.set(id, { receipt, seconds: this.seconds() });
  }

  /** The message is not extended any more: it is done, or is handed back. */
  release({ id }: TaskMessage): void {
    this.#held.delete(id);
  }

  get size(): number {
    return this.#held.size;
  }

  /** Nothing is extended any more. */
  end(): void {
    this.#over.abort(NOT_NEEDED);
  }

  async #extendUntilOver(): Promise<void> {
    const { signal } = this.#over;
    for (;;) {
      await this.#deps.time.sleep(EXTEND_INTERVAL_MS, signal).catch(() => undefined);
      if (signal.aborted) return;
      if (this.#held.size > 0) await this.#hide([...this.#held.values()]);
    }
  }

  /** Not vital by itself: the next extension comes in time. */
  async #hide(messages: readonly HiddenMessage[]): Promise<readonly string[]> {
    try {
      return await this.#deps.hide(messages);
    } catch (error) {
      const name = error instanceof Error ? error.name : 'unknown';
      this.#deps.log('task.not-extended', { count: messages.length, error: name });
      return [];
    }
  }
}
