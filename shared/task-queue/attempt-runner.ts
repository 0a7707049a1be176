import type { TaskMessage } from './message.ts';
import type { QueueDelivery, TaskResult } from '../domain/index.ts';
import { parseTraceId } from '../runtime/index.ts';
import type { Visibility, VisibilityDeps } from './visibility.ts';
import { getErrorFacts } from '../utils/index.ts';

/** After this many failures a task is given up: its message moves to the dead-letter queue. */
const MAX_FAILURES = 5;
/** After this many crashes a task is given up, if `MIN_CRASH_PERIOD_MS` has passed since the first one. */
const MAX_CRASHES = 3;
/** Whatever kills workers, such as a restart of the machine, may do so several times within a minute. */
const MIN_CRASH_PERIOD_MS = 90_000;

/** The result of the earlier receives of a message. */
export type Attempts = {
  /** Receives after which the process itself returned the message. */
  readonly returned: number;
  /** Attempts that ended with an error. */
  readonly failures: number;
  /** Isolated attempts of earlier receives that were started and never ended. */
  readonly crashes: number;
  /** When the first isolated attempt started (ms since 1970), if any. */
  readonly isolatedSinceMs: number | undefined;
  /** When the first attempt ended without success (ms since 1970), if any. */
  readonly firstEndedAtMs: number | undefined;
};

const NO_ATTEMPTS: Attempts = {
  returned: 0,
  failures: 0,
  crashes: 0,
  isolatedSinceMs: undefined,
  firstEndedAtMs: undefined,
};

/**
 * Stores attempts. A message that is done at its first receive costs no read and no write; only returned
 * messages and messages after a crash do.
 */
export type AttemptsStore = {
  readonly read: (message: Receive) => Promise<Attempts>;
  /**
   * Records the start of an attempt that may crash its process. Resolves with false if an attempt was started
   * at this receive before; its process may still run.
   */
  readonly begin: (message: Receive) => Promise<boolean>;
  /** Records that the process returned the message. */
  readonly handBack: (message: Receive, attempt: AttemptEnd) => Promise<void>;
};

type Receive = Pick<TaskMessage, 'id' | 'receives'>;

type AttemptEnd = {
  /** How the attempt ended; undefined if the task was not started, or has a position in a wait queue. */
  readonly ended?: 'waits' | 'failed' | undefined;
  /** Whether the start of this attempt was recorded with `begin`. */
  readonly isRecorded: boolean;
};

/**
 * Whether a message may have crashed a process: an earlier receive that no process returned. A throttled
 * invocation looks the same; then the task is isolated once, which only costs time.
 */
function mayHaveCrashed({ receives }: Pick<TaskMessage, 'receives'>, { returned }: Attempts): boolean {
  return receives - 1 > returned;
}

/**
 * Whether a task is given up without another attempt. The first crash, in a shared process, is only known from
 * the redelivery. Nothing shows what else might have crashed the processes; certain is only that the task
 * crashed each time in isolation, over some minutes.
 */
export function isExhausted({ crashes, failures, isolatedSinceMs = 0 }: Attempts, now: number): boolean {
  const hasCrashed = crashes >= MAX_CRASHES - 1 && now - isolatedSinceMs >= MIN_CRASH_PERIOD_MS;
  return hasCrashed || failures >= MAX_FAILURES;
}

export type AttemptLimits = {
  /** The maximum wait after the end of the first attempt (ms). */
  readonly maxWaitMs: number;
  /** The number of receives after which SQS itself moves a message to the dead-letter queue. */
  readonly maxReceives: number;
};

/** Whether this is the last attempt: if it does not succeed, the task is given up. */
function isLastAttempt(
  { receives }: Pick<TaskMessage, 'receives'>,
  { failures, firstEndedAtMs }: Attempts,
  { maxWaitMs, maxReceives }: AttemptLimits,
  now: number,
): boolean {
  const waitedMs = firstEndedAtMs === undefined ? 0 : now - firstEndedAtMs;
  return failures + 1 >= MAX_FAILURES || waitedMs >= maxWaitMs || receives >= maxReceives;
}

/** A message with its earlier attempts. */
export type ReceivedTask = { readonly message: TaskMessage; readonly attempts: Attempts };

/** Whether the task may have crashed a process and should run once more. */
export const isSuspect = ({ message, attempts }: ReceivedTask, now: number): boolean =>
  mayHaveCrashed(message, attempts) && !isExhausted(attempts, now);

/** Loads the earlier attempts of messages. Costs a read only for redelivered messages. Never rejects. */
export function loadAttempts(
  messages: readonly TaskMessage[],
  store: Pick<AttemptsStore, 'read'>,
): Promise<readonly ReceivedTask[]> {
  return Promise.all(
    messages.map(async (message) => {
      if (message.receives === 1) return { message, attempts: NO_ATTEMPTS };
      // Unknown attempts count as a possible crash, which is the safe choice.
      return { message, attempts: await store.read(message).catch(() => NO_ATTEMPTS) };
    }),
  );
}

/** Handles one task. Rejects if it failed and should be retried. */
export type TaskHandler = (body: string, delivery: QueueDelivery) => Promise<TaskResult>;

/** The operations on received messages. */
export type QueuePort = Pick<VisibilityDeps, 'hide'> & {
  /** Deletes a message whose task is done. */
  readonly deleteMessage: (receipt: string) => Promise<void>;
  /** Copies a message to the dead-letter queue. Idempotent for five minutes. */
  readonly sendToDeadLetters: (message: TaskMessage) => Promise<void>;
};

/** Hands a message to a process without other tasks, which then extends its visibility timeout. */
export type Isolate = (message: TaskMessage) => Promise<void>;

export type AttemptDeps = Omit<VisibilityDeps, 'hide'> & {
  readonly serve: TaskHandler;
  /** Called before a task is given up: rejects all further writes of other processes for this task. */
  readonly refuseLateWrites: (message: TaskMessage) => Promise<void>;
  readonly queue: QueuePort;
  readonly attempts: AttemptsStore;
  readonly limits: AttemptLimits;
};

/** The delay before the next attempt after a failure of unknown cause. */
export const RETRY_DELAY_MS = 1_000;
const MAX_BACKOFF_MS = 60_000;
/** The delay of a task that cannot be handed to an isolated process: in ten minutes it is received less often than SQS allows. */
const HANDOVER_RETRY_DELAY_MS = 5_000;

/** Runs attempts of the messages that a process holds. No method rejects. */
export class AttemptRunner {
  /** `isolate` is absent in a process for one isolated task. */
  readonly #deps: AttemptDeps & { readonly isolate?: Isolate };
  readonly #visibility: Visibility;
  readonly #isIsolated: boolean;
  readonly #remaining: TaskMessage[] = [];

  /** `isIsolated`: the messages come by reference. If that is slow, a redelivery of the same message runs at the same time. */
  constructor(
    deps: AttemptDeps & { readonly isolate?: Isolate },
    visibility: Visibility,
    isIsolated = false,
  ) {
    this.#deps = deps;
    this.#visibility = visibility;
    this.#isIsolated = isIsolated;
  }

  /** Messages that stay on the queue. */
  get remainingMessages(): readonly TaskMessage[] {
    return this.#remaining;
  }

  /**
   * Resolves with whether the task is done. `isRecorded`: the start of the attempt was recorded with `begin`.
   */
  async attempt(
    { message, attempts }: ReceivedTask,
    deadlineMs: number,
    isRecorded: boolean,
  ): Promise<boolean> {
    const { serve, limits, time, log } = this.#deps;
    const isLast = isLastAttempt(message, attempts, limits, time.now());
    const outcome = await handleTask(() =>
      serve(message.body, {
        deadline: deadlineMs,
        isRedelivery: message.receives > 1,
        afterCrash: mayHaveCrashed(message, attempts),
        mayRunTwice: message.receives > 1 || this.#isIsolated,
        isLast,
        trace: message.trace,
        receipt: message.receipt,
        queueMessage: message.id,
      }),
    );
    if (outcome.kind === 'done') return this.done(message);
    if (outcome.kind === 'too-large' && this.#deps.isolate) {
      await this.isolate({ message, attempts });
      return false;
    }
    const hasFailed = outcome.kind !== 'later';
    const failures = attempts.failures + (hasFailed ? 1 : 0);
    if (hasFailed) {
      const facts = outcome.kind === 'failed' ? outcome.facts : { error: outcome.kind };
      const trace = parseTraceId(message.trace);
      const { id: messageId, group: thread } = message;
      log('task.failed', { messageId, thread, failures, ...facts, trace });
    }
    if (isLast) return this.giveUp({ message, attempts: { ...attempts, failures } });
    const backoffMs = Math.min(MAX_BACKOFF_MS, RETRY_DELAY_MS * 2 ** attempts.failures);
    const ended = hasFailed ? 'failed' : outcome.queueWaitMs !== undefined ? undefined : 'waits';
    await this.#recordReturn(message, { ended, isRecorded });
    await this.returnToQueue([[message, hasFailed ? backoffMs : outcome.afterMs]]);
    return false;
  }

  /** Deletes the message, so that its group continues immediately. */
  async done(message: TaskMessage): Promise<true> {
    this.#visibility.release(message);
    // If the deletion fails, the message is delivered again, and its task is already done.
    await this.#deps.queue.deleteMessage(message.receipt).catch(() => undefined);
    return true;
  }

  /** Moves a task to the dead-letter queue, so that its group continues. Resolves with whether that worked. */
  async giveUp({ message, attempts: { crashes, failures } }: ReceivedTask): Promise<boolean> {
    const { log, queue, refuseLateWrites } = this.#deps;
    const { id: messageId, group: thread, receives } = message;
    log('task.given-up', {
      messageId,
      thread,
      crashes,
      failures,
      receives,
      trace: parseTraceId(message.trace),
    });
    try {
      await refuseLateWrites(message);
      await queue.sendToDeadLetters(message);
      return await this.done(message);
    } catch {
      await this.returnToQueue([[message, RETRY_DELAY_MS]]);
      return false;
    }
  }

  /** Hands the task to an isolated process. If that fails, returns it to the queue, or gives it up if it has waited too long. */
  async isolate(task: ReceivedTask): Promise<void> {
    const { message, attempts } = task;
    const { isolate, limits, time } = this.#deps;
    try {
      await isolate?.(message);
      this.leaveOnQueue(message);
    } catch {
      // It was not started, so only its wait counts.
      if (isLastAttempt(message, { ...attempts, failures: 0 }, limits, time.now())) {
        await this.giveUp(task);
        return;
      }
      await this.#recordReturn(message, { ended: 'waits', isRecorded: false });
      await this.returnToQueue([[message, HANDOVER_RETRY_DELAY_MS]]);
    }
  }

  /** Returns tasks that were not started; they are visible immediately. */
  async handBack(tasks: readonly ReceivedTask[]): Promise<void> {
    await Promise.all(tasks.map(({ message }) => this.#recordReturn(message, { isRecorded: false })));
    await this.returnToQueue(tasks.map(({ message }) => [message, 0]));
  }

  /**
   * Returns messages to the queue; each is visible after its delay in ms. If the queue is unavailable: after at
   * most 23 s.
   */
  async returnToQueue(messages: readonly (readonly [TaskMessage, number])[]): Promise<void> {
    for (const [message] of messages) this.leaveOnQueue(message);
    if (messages.length === 0) return;
    const hidden = messages.map(([{ receipt }, ms]) => ({ receipt, seconds: Math.ceil(ms / 1000) }));
    await this.#deps.queue.hide(hidden).catch(() => undefined);
  }

  /** Stops extending the message, which stays on the queue. */
  leaveOnQueue(message: TaskMessage): void {
    this.#visibility.release(message);
    this.#remaining.push(message);
  }

  /** Not critical: without this record, the message counts as one that may have crashed its process. */
  async #recordReturn(message: TaskMessage, end: AttemptEnd): Promise<void> {
    await this.#deps.attempts.handBack(message, end).catch(() => undefined);
  }
}

async function handleTask(serve: () => Promise<TaskResult>) {
  try {
    return await serve();
  } catch (error) {
    return { kind: 'failed', facts: getErrorFacts(error) } as const;
  }
}
