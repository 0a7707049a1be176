/** Puts tasks on the FIFO queue. */
export interface Queue {
  /**
   * Resolves once the queue holds the message. `group` orders (one in flight per group), `dedup` makes a
   * repetition within five minutes harmless. Rejects when the queue cannot be reached.
   */
  send(body: string, group: string, dedup: string): Promise<void>;
}
