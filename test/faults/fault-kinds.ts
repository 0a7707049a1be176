/** What may go wrong with a call or a delivery. */
export type Fault =
  /** The process dies before the call is made. */
  | 'die-before'
  /** The call takes effect, and the process dies before it learns of it. */
  | 'die-after'
  /** The process dies, and its call takes effect much later. */
  | 'die-late'
  /** The call takes effect, and the process is told that it failed. */
  | 'reply-lost'
  /** The call fails without taking effect. */
  | 'error'
  /** The call takes effect, and its answer takes long. */
  | 'slow'
  /** The answer is lost, and the SDK makes the call again: its condition holds no longer. */
  | 'retried'
  /** The tables refuse every call of every process for a while. */
  | 'throttled'
  /** The clock of the process jumps. */
  | 'clock-forward'
  | 'clock-back'
  /** Not of calls but of deliveries: it is made twice. */
  | 'double'
  /** It is made so late that it was made again before. */
  | 'late';

/** What a point is: a call that changes nothing, one that changes a table, any other, or a delivery. */
export type Kind = 'read' | 'write' | 'call' | 'delivery';

/** What may befall a call. */
export const CALL_FAULTS: readonly Fault[] = ['die-before', 'die-after', 'die-late', 'reply-lost', 'error'];

/**
 * What may befall each kind of point. Of a call that changes nothing no one can tell whether it was made: to die after it is to die before it, and a lost
 * answer is an error.
 */
export const FAULTS: Readonly<Record<Kind, readonly Fault[]>> = {
  read: ['die-before', 'error', 'slow'],
  write: [...CALL_FAULTS, 'slow', 'retried', 'throttled'],
  call: [...CALL_FAULTS, 'slow'],
  delivery: ['double', 'late'],
};

/** Those, and what may happen anywhere: for random schedules. */
export const RANDOM_FAULTS: Readonly<Record<Kind, readonly Fault[]>> = {
  read: [...FAULTS.read, 'throttled', 'clock-forward', 'clock-back'],
  write: [...FAULTS.write, 'clock-forward', 'clock-back'],
  call: [...FAULTS.call, 'clock-forward', 'clock-back'],
  delivery: FAULTS.delivery,
};

export const ALL_FAULTS: readonly Fault[] = [...new Set(Object.values(RANDOM_FAULTS).flat())];

/** Calls that change nothing. */
const READ =
  /^(?:get|query|chunk|users\.|auth\.|team\.|conversations\.(?:replies|history|info)|chat\.getPermalink|GET|models|secret)/u;
export const TABLE = /^(?:get|query|put|update|delete) /u;
const WRITE = /^(?:put|update|delete) /u;

/** What kind of call this is. Those to AWS's tables are named by what they do and to which. */
export function kindOf(name: string): Kind {
  if (READ.test(name)) return 'read';
  return WRITE.test(name) ? 'write' : 'call';
}
