/** One delivery of a task. */
export type QueueDelivery = {
  /** How long there is (ms since 1970). */
  readonly deadline: number;
  /** An earlier delivery of this task came to nothing, and may have left a call on its way. */
  readonly again: boolean;
  /** An earlier delivery may have ended with its process: what it had begun may be anywhere. Not known: no. */
  readonly afterCrash?: boolean | undefined;
  /** The queue will make no other. */
  readonly last: boolean;
  /** The trace that the task belongs to, as X-Ray's header. */
  readonly trace?: string | undefined;
  /** Of the task's message: while it is hidden on the queue, it is shown again by this. */
  readonly receipt?: string | undefined;
};

/**
 * What became of a task. `later`: the queue is to deliver it again, not before `afterMs`. `turnInMs`: it keeps a position in the wait queue of a
 * key, and this is how long its turn is away; such a wait does not count towards how long a task may wait. `too-large`: nothing was shown or
 * asked; it takes more memory than this process has to give, and is to be done by one that has no other task.
 */
export type TaskResult =
  | { readonly kind: 'done' }
  | { readonly kind: 'later'; readonly afterMs: number; readonly turnInMs?: number }
  | { readonly kind: 'too-large' };
