import { type Level, logLines, writeLine } from './log-lines.ts';
import { getLambdaTrace, type Trace } from './trace.ts';

export { type Level, LEVELS } from './log-lines.ts';

/**
 * The fields of log lines. Names, ids and numbers only; other fields are removed, so that neither content nor
 * secrets get into the log by mistake, and the types do not allow them. Ids identify people and messages
 * without quoting them.
 */
const LOG_FIELDS = [
  'afterMs',
  'answered',
  'attempt',
  'attempts',
  'bytes',
  'cachedTokens',
  'calls',
  'channel',
  'code',
  'completionTokens',
  'count',
  'crashes',
  'direct',
  'entries',
  'erased',
  'error',
  'failed',
  'failures',
  'family',
  'fence',
  'finish',
  'granted',
  'group',
  'job',
  'keyName',
  'isRetried',
  'kind',
  'last',
  'message',
  'messageId',
  'method',
  'missing',
  'model',
  'ms',
  'name',
  'outcome',
  'param',
  'partial',
  'parts',
  'pieces',
  'platform',
  'promptTokens',
  'reason',
  'reasoningTokens',
  'receives',
  'request',
  'requestId',
  'retryAfterMs',
  'retryNum',
  'retryReason',
  'root',
  'round',
  'scope',
  'service',
  'shard',
  'shards',
  'state',
  'status',
  'thread',
  'tokens',
  'tool',
  'trace',
  'translated',
  'turn',
  'type',
  'user',
  'waitMs',
  'workspace',
] as const;
export type Facts = {
  readonly [name in (typeof LOG_FIELDS)[number]]?: string | number | boolean | undefined;
};

/** Logs an event, never content. */
export type Log = (event: string, facts?: Facts) => void;

/** What happened in events that somebody may have to look at. */
const FAILURE =
  /[.-](?:failed|rejected|given-up|dead-lettered|unavailable|unreadable|missing|forbidden)(?:-|$)/u;

/** Whether an event is a failure by its name. */
export const isFailureEvent = (event: string): boolean => FAILURE.test(event);

/**
 * Creates the log of a process: `logLines` with all fields. Failures have at least the level `warn`, and warnings are always written, because alarms
 * count them: so `least` has no effect above `warn`.
 */
export function createLogger(
  least: Level,
  write: (line: string) => void,
  now: () => number,
  trace: Trace = getLambdaTrace,
): Record<Level, Log> {
  const minLevel = least === 'error' ? 'warn' : least;
  const log = logLines<Facts>({ allowedFields: LOG_FIELDS, minLevel, write, now, trace });
  return { ...log, info: (event, facts) => (isFailureEvent(event) ? log.warn : log.info)(event, facts) };
}

/** The log of a function or process, on its output. `now` is in ms since 1970; `trace` is Lambda's by default. */
export const createProcessLog = (least: Level, now: () => number, trace?: Trace): Record<Level, Log> =>
  createLogger(least, writeLine, now, trace);
