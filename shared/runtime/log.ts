import { type Level, logLines } from './log-lines.ts';
import { lambdaTrace, type Trace } from './trace.ts';

export { type Level, LEVELS } from './log-lines.ts';

/**
 * The fields of log lines. Names, ids and numbers only; other fields are removed, so that neither content nor
 * secrets get into the log by mistake, and the types do not allow them. Ids identify people and messages
 * without quoting them.
 */
const LOG_FIELDS = [
  'afterMs',
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

/** Creates the log of a process: `logLines` with all fields. */
export const logger = (
  least: Level,
  write: (line: string) => void,
  now: () => number,
  trace: Trace = lambdaTrace,
): Record<Level, Log> => logLines<Facts>({ allowedFields: LOG_FIELDS, minLevel: least, write, now, trace });
