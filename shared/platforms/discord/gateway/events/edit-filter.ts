/**
 * Older edits are not accepted: their question may have been refused or removed since. Longer than Discord keeps the events of an
 * interrupted session (some minutes).
 */
const MAX_EDIT_AGE_MS = 15 * 60_000;
const MAX_EDITS = 5_000;

/**
 * Tells edits from repeated ones. Discord sends MESSAGE_UPDATE again when it adds a link preview, or when a person opens a thread on
 * the message, whenever that is. The message then still has the `edited_timestamp` of its last edit, perhaps cut to milliseconds.
 * Another process does not know the edits of the last 15 minutes, so one of them may be accepted once more there.
 */
export class EditFilter {
  /** When each message was last edited (ms since 1970). The message that was edited last comes last. */
  readonly #editedAt = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The number of remembered edits. */
  get size(): number {
    return this.#editedAt.size;
  }

  /** Whether an edit is new. Remembers it, so that the same edit is accepted only once. */
  accept(message: string, editedAtMs: number): boolean {
    const oldestMs = this.#now() - MAX_EDIT_AGE_MS;
    // Also false if the time is not a number.
    if (!(editedAtMs >= oldestMs) || editedAtMs <= (this.#editedAt.get(message) ?? 0)) return false;
    this.#editedAt.delete(message);
    this.#editedAt.set(message, editedAtMs);
    this.#removeOldest(oldestMs);
    return true;
  }

  #removeOldest(oldestMs: number): void {
    for (const [message, editedAtMs] of this.#editedAt) {
      if (editedAtMs >= oldestMs && this.#editedAt.size <= MAX_EDITS) return;
      this.#editedAt.delete(message);
    }
  }
}
