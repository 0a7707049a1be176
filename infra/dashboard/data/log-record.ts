import * as v from 'valibot';
import { parseJson } from '../../../shared/utils/index.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** One line of a structured log. Contains names, ids and numbers, never what people write: see `shared/runtime/log.ts`. */
export type LogRecord = {
  /** ms since 1970. */
  readonly at: number;
  /** The function or process that logged it. */
  readonly source: string;
  readonly level: LogLevel;
  readonly event: string;
  /** The id that all lines about one message share. */
  readonly trace: string | undefined;
  readonly facts: Readonly<Record<string, string | number | boolean>>;
};

const levels = v.picklist(['debug', 'info', 'warn', 'error']);
const lineSchema = v.looseObject({
  timestamp: v.pipe(v.string(), v.isoTimestamp()),
  level: v.optional(v.pipe(v.string(), v.toLowerCase(), levels), 'info'),
  event: v.string(),
  trace: v.optional(v.string()),
});
/**
 * An exception that a function did not catch: as the local system logs it, and as Lambda's runtime for Node does in JSON (`LogPatch.js` of
 * aws-lambda-nodejs-runtime-interface-client).
 */
const crashSchema = v.union([
  v.pipe(
    v.object({ level: v.literal('ERROR'), error: v.string() }),
    v.transform(({ error }) => ({ event: 'function.crashed', facts: { error: toFirstLine(error) } })),
  ),
  v.pipe(
    v.object({
      level: v.picklist(['ERROR', 'FATAL']),
      message: v.object({ errorType: v.string(), errorMessage: v.optional(v.string(), '') }),
    }),
    v.transform(({ message: { errorType, errorMessage } }) => ({
      event: 'function.crashed',
      facts: { error: toFirstLine(`${errorType}: ${errorMessage}`) },
    })),
  ),
  /** Lambda's report of an invocation that timed out, or whose process ended (Lambda, "Telemetry API event schema"). */
  v.pipe(
    v.object({
      type: v.literal('platform.report'),
      record: v.object({
        status: v.picklist(['timeout', 'error', 'failure']),
        errorType: v.optional(v.string()),
        metrics: v.object({ durationMs: v.number() }),
      }),
    }),
    v.transform(({ record: { status, errorType, metrics } }) => ({
      event: 'function.failed',
      facts: { reason: status, ...(errorType && { error: errorType }), ms: Math.round(metrics.durationMs) },
    })),
  ),
]);

const HEADER = new Set(['timestamp', 'level', 'event', 'trace', '_aws']);
/** Maximum length of an exception's message, in characters. */
const MAX_MESSAGE_LENGTH = 200;

/**
 * Parses a log line; undefined if it is no event. A line about an exception or a failed invocation counts from `readAt` (ms since 1970), and is dropped
 * without it: the local system logs no time.
 */
export function parseLogLine(source: string, line: string, readAt?: number): LogRecord | undefined {
  const content = line.startsWith('{') ? parseJson(line) : undefined;
  const parsed = v.safeParse(lineSchema, content);
  if (parsed.success) {
    const { timestamp, level, event, trace } = parsed.output;
    return { at: Date.parse(timestamp), source, level, event, trace, facts: pickFacts(parsed.output) };
  }
  const crash = v.safeParse(crashSchema, content);
  if (!crash.success || readAt === undefined) return undefined;
  return { at: readAt, source, level: 'error', trace: undefined, ...crash.output };
}

const toFirstLine = (text: string): string => (text.split(/[\r\n]/u)[0] ?? '').slice(0, MAX_MESSAGE_LENGTH);

function pickFacts(line: Readonly<Record<string, unknown>>): LogRecord['facts'] {
  const facts: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(line)) {
    if (HEADER.has(name)) continue;
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      facts[name] = value;
  }
  return facts;
}

/** Returns a numeric fact of a record; undefined if it has none. */
export function numberFact({ facts }: Pick<LogRecord, 'facts'>, name: string): number | undefined {
  const value = facts[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Returns a fact of a record as text; undefined if it has none. */
export function textFact({ facts }: Pick<LogRecord, 'facts'>, name: string): string | undefined {
  const value = facts[name];
  return value === undefined ? undefined : String(value);
}
