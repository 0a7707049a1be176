/** A message received from the task queue. */
export type TaskMessage = {
  readonly id: string;
  /** Messages of a group are delivered in order, to one process at a time. */
  readonly group: string;
  readonly body: string;
  /** The receipt handle, for deleting the message or changing its visibility timeout. */
  readonly receipt: string;
  /**
   * How often it was received, including this time. SQS counts a crash, a throttled invocation and a returned
   * message alike.
   */
  readonly receives: number;
  /** Its trace, as an X-Ray header. */
  readonly trace?: string | undefined;
};
