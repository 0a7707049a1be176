import type { TaskMessage } from './message.ts';

/** A task that failed this often is given up: its message moves to the dead letters. */
export const MAX_FAILURES = 5;
/** A task whose processes died this often is given up, */
export const MAX_CRASHES = 3;
/** if the first died so long ago: who kills workers, as a machine that is restarted, does so several times within a minute. */
const MIN_CRASHING_MS = 90_000;

/** What became of the earlier receives of a message. */
export type Attempts = {
  /** Receives after which a living process handed the message back. */
  readonly handedBack: number;
  /** Attempts that ended with an error. */
  readonly failures: number;
  /** Attempts at earlier receives that began alone in their process and never ended. */
  readonly crashes: number;
  /** When the first attempt began that was alone in its process (ms since 1970); undefined where none did. */
  readonly aloneSinceMs: number | undefined;
  /** When the first attempt ended without being done (ms since 1970); undefined where none did. */
  readonly triedAtMs: number | undefined;
};

export const NO_ATTEMPTS: Attempts = {
  handedBack: 0,
  failures: 0,
  crashes: 0,
  aloneSinceMs: undefined,
  triedAtMs: undefined,
};

/**
 * Keeps attempts. Nothing is written for a message that is done at its first receive, and nothing read: only a message that is
 * handed back, or that comes again after its process died, costs anything.
 */
export type AttemptsStore = {
  readonly read: (message: Receive) => Promise<Attempts>;
  /** An attempt begins whose process may die of it. Resolves with false where one began at this receive before, which may live. */
  readonly begin: (message: Receive) => Promise<boolean>;
  /** A living process hands the message back. */
  readonly handBack: (message: Receive, attempt: AttemptEnd) => Promise<void>;
};

type Receive = Pick<TaskMessage, 'id' | 'receives'>;

export type AttemptEnd = {
  /** How the attempt ended; undefined where the task was not begun, or waits in a queue that moves on by itself. */
  readonly ended?: 'waits' | 'failed' | undefined;
  /** Whether `begin` was called for this attempt. */
  readonly alone: boolean;
};

/**
 * Whether a message may have killed the process that received it before: a receive that no living process handed back. A throttled
 * invocation looks the same; then the task is done alone once, which costs time and nothing else.
 */
export function mayHaveCrashed(
  { receives }: Pick<TaskMessage, 'receives'>,
  { handedBack }: Attempts,
): boolean {
  return receives - 1 > handedBack;
}

/**
 * Whether a task is given up without another attempt. Its first crash, in company, is known only by its coming again. Of what else may have killed
 * its processes nothing is known: so much is certain only, that it died each time over some minutes, alone.
 */
export function isExhausted({ crashes, failures, aloneSinceMs = 0 }: Attempts, now: number): boolean {
  const hasCrashed = crashes >= MAX_CRASHES - 1 && now - aloneSinceMs >= MIN_CRASHING_MS;
  return hasCrashed || failures >= MAX_FAILURES;
}

export type Patience = {
  /** How long a task may wait, from the end of its first attempt (ms). */
  readonly maxWaitMs: number;
  /** After so many receives the queue itself moves a message to the dead letters. */
  readonly maxReceives: number;
};

/** Whether an attempt is the last: if it is not done after it, the task is given up. */
export function isLastAttempt(
  { receives }: Pick<TaskMessage, 'receives'>,
  { failures, triedAtMs }: Attempts,
  { maxWaitMs, maxReceives }: Patience,
  now: number,
): boolean {
  const waitedMs = triedAtMs === undefined ? 0 : now - triedAtMs;
  return failures + 1 >= MAX_FAILURES || waitedMs >= maxWaitMs || receives >= maxReceives;
}
