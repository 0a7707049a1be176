import { ConditionFailedError } from '../../shared/storage/dynamodb/dynamo.ts';

/** The faults of a request or a delivery. */
export type Fault =
  /** The process dies before the request is sent. */
  | 'die-before'
  /** The request takes effect, and the process dies before it gets the response. */
  | 'die-after'
  /** The process dies, and its request takes effect much later. */
  | 'die-late'
  /** The request takes effect, and the process gets an error. */
  | 'reply-lost'
  /** The request fails without effect. */
  | 'error'
  /** The request takes effect, and its response is slow. */
  | 'slow'
  /** The response is lost, and the client repeats the request. */
  | 'retried'
  /** The tables refuse all requests of all processes for a while. */
  | 'throttled'
  /** The clock of the process jumps. */
  | 'clock-forward'
  | 'clock-back'
  /** A delivery, not a request: it is made twice. */
  | 'double'
  /** A delivery that is so late that it was repeated before. */
  | 'late';

/** How far a clock jumps (ms): more than the clocks of processes differ, which Lambda keeps within a second. */
export const JUMP_MS = 5_000;

/** The kind of a point: a request without effect, one that changes a table, any other, or a delivery. */
export type Kind = 'read' | 'write' | 'call' | 'delivery';

/** A fault of a request. */
export const CALL_FAULTS: readonly Fault[] = ['die-before', 'die-after', 'die-late', 'reply-lost', 'error'];

/**
 * The faults of each kind of point. For a request without effect nobody can tell whether it was sent: dying after it
 * equals dying before it, and a lost response is an error.
 */
export const FAULTS: Readonly<Record<Kind, readonly Fault[]>> = {
  read: ['die-before', 'error', 'slow'],
  write: [...CALL_FAULTS, 'slow', 'retried', 'throttled'],
  call: [...CALL_FAULTS, 'slow'],
  delivery: ['double', 'late'],
};

/** These, and the faults that may happen anywhere: for random schedules. */
export const RANDOM_FAULTS: Readonly<Record<Kind, readonly Fault[]>> = {
  read: [...FAULTS.read, 'throttled', 'clock-forward', 'clock-back'],
  write: [...FAULTS.write, 'clock-forward', 'clock-back'],
  call: [...FAULTS.call, 'clock-forward', 'clock-back'],
  delivery: FAULTS.delivery,
};

export const ALL_FAULTS: readonly Fault[] = [...new Set(Object.values(RANDOM_FAULTS).flat())];

/** Requests without effect. */
const READ =
  /^(?:get|query|chunk|users\.|auth\.|team\.|conversations\.(?:replies|history|info)|assistant\.search|chat\.getPermalink|GET|models|secret)/u;
export const TABLE = /^(?:get|query|put|update|delete) /u;
const WRITE = /^(?:put|update|delete) /u;

/** The kind of a request. Table requests are named by their operation and table. */
export function kindOf(name: string): Kind {
  if (READ.test(name)) return 'read';
  return WRITE.test(name) ? 'write' : 'call';
}

/** Makes a request twice, as a client does that gets no response. Its failed condition may be due to the first attempt. */
export async function repeatRequest<T>(request: () => T | Promise<T>): Promise<T> {
  await request();
  try {
    return await request();
  } catch (error) {
    throw error instanceof ConditionFailedError ? new ConditionFailedError(true) : error;
  }
}
