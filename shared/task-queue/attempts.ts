import type { TaskMessage } from './message.ts';

/** After this many failures a task is given up: its message moves to the dead-letter queue. */
export const MAX_FAILURES = 5;
/** After this many crashes a task is given up, */
export const MAX_CRASHES = 3;
/**
 * but only if the first crash was this long ago: whatever kills workers, such as a restart of the machine, may
 * do so several times within a minute.
 */
const MIN_CRASH_PERIOD_MS = 90_000;

/** The result of the earlier receives of a message. */
export type Attempts = {
  /** Receives after which the process itself returned the message. */
  readonly handedBack: number;
  /** Attempts that ended with an error. */
  readonly failures: number;
  /** Isolated attempts of earlier receives that were started and never ended. */
  readonly crashes: number;
  /** When the first isolated attempt started (ms since 1970), if any. */
  readonly isolatedSinceMs: number | undefined;
  /** When the first attempt ended without success (ms since 1970), if any. */
  readonly firstEndedAtMs: number | undefined;
};

export const NO_ATTEMPTS: Attempts = {
  handedBack: 0,
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

export type AttemptEnd = {
  /** How the attempt ended; undefined if the task was not started, or has a position in a wait queue. */
  readonly ended?: 'waits' | 'failed' | undefined;
  /** Whether the start of this attempt was recorded with `begin`. */
  readonly isRecorded: boolean;
};

/**
 * Whether a message may have crashed a process: an earlier receive that no process returned. A throttled
 * invocation looks the same; then the task is isolated once, which only costs time.
 */
export function mayHaveCrashed(
  { receives }: Pick<TaskMessage, 'receives'>,
  { handedBack }: Attempts,
): boolean {
  return receives - 1 > handedBack;
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
export function isLastAttempt(
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
