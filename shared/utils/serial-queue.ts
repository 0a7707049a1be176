/** Runs actions one after the other, in the order of the calls. A failed action does not affect the next ones. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs the action after all earlier ones. Returns its result, or rejects with its error. */
  run<Value>(action: () => Value | Promise<Value>): Promise<Value> {
    const result = this.#last.then(action);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when all actions up to now have ended. Never rejects. */
  async drain(): Promise<void> {
    await this.#last;
  }
}
