/** A message that was received from the queue of tasks. */
export type TaskMessage = {
  readonly id: string;
  /** Messages of a group are in order, and only one process at a time holds messages of it. */
  readonly group: string;
  readonly body: string;
  /** By which its present holder deletes it or changes how long it stays hidden. */
  readonly receipt: string;
  /** How often it was received, this time included. SQS counts a crash, a throttled invocation and a hand-back alike. */
  readonly receives: number;
  /** The trace that it belongs to, as X-Ray's header. */
  readonly trace?: string | undefined;
};
