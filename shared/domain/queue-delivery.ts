export type QueueDelivery = {
  /** When the task must be finished (ms since 1970). */
  readonly deadline: number;
  /** An earlier delivery of this task failed. A request of it may still be in flight. */
  readonly isRedelivery: boolean;
  /**
   * The process of an earlier delivery may have crashed; requests of it may still be in flight. Undefined
   * counts as no.
   */
  readonly afterCrash?: boolean | undefined;
  /** The queue will not deliver it again. */
  readonly isLast: boolean;
  /** The trace of the task, as an X-Ray header. */
  readonly trace?: string | undefined;
  /** The receipt handle of the message. It makes the message visible again while it is hidden. */
  readonly receipt?: string | undefined;
};

/**
 * The result of a task. `later`: the queue delivers it again after at least `afterMs`. `queueWaitMs`: the
 * request keeps its position in a key's wait queue, and this is the time until its turn; this wait does not
 * count towards the maximum wait of a task. `too-large`: the task needs more memory than this process can give,
 * and nothing was sent or shown. A process with no other task must run it.
 */
export type TaskResult =
  | { readonly kind: 'done' }
  | { readonly kind: 'later'; readonly afterMs: number; readonly queueWaitMs?: number }
  | { readonly kind: 'too-large' };
