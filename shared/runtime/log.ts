import { type Level, logLines } from './log-lines.ts';
import { lambdaTrace, type Trace } from './trace.ts';

export { type Level, LEVELS } from './log-lines.ts';

/**
 * What a line of the log may say. Names, ids and figures only; anything else is left out, so that neither a message nor
 * a secret gets there by mistake: the types let no other be named where a line is written. Ids of people and messages name,
 * they do not quote.
 */
const FACTS = [
  'afterMs',
  'attempt',
  'attempts',
  'bytes',
  'cachedTokens',
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
  'kind',
  'last',
  'message',
  'messageId',
  'method',
  'model',
  'ms',
  'name',
  'outcome',
  'partial',
  'parts',
  'pieces',
  'platform',
  'promptTokens',
  'reason',
  'reasoningTokens',
  'receives',
  'requestId',
  'retryAfterMs',
  'retryNum',
  'retryReason',
  'root',
  'round',
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
  'what',
  'why',
  'wish',
  'workspace',
] as const;
export type Facts = {
  readonly [name in (typeof FACTS)[number]]?: string | number | boolean | undefined;
};

/** Says what happened; never what was said. */
export type Log = (event: string, facts?: Facts) => void;

/** The log of a process: `logLines` with all facts that a line may say. */
export const logger = (
  least: Level,
  write: (line: string) => void,
  now: () => number,
  trace: Trace = lambdaTrace,
): Record<Level, Log> => logLines<Facts>({ names: FACTS, least, write, now, trace });
