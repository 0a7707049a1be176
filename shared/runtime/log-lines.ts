import { getLambdaTrace, type Trace, parseTraceId } from './trace.ts';

/** Log levels, from the least to the most important. */
export const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof LEVELS)[number];

/** Maximum length of a value, in characters. */
const MAX_TEXT_LENGTH = 200;
/** That of `calls`, which is made of methods and numbers: see `createCallRecorder`. */
const MAX_CALLS_LENGTH = 2_400;

/** Writes a line to the output. Not with `console`, as Lambda would wrap each JSON line in JSON again. */
export const writeLine = (line: string): void => void process.stdout.write(`${line}\n`);

export type LogLinesOptions = {
  /** The allowed fields: others are removed. */
  readonly allowedFields: readonly string[];
  /** Lines below this level are not written. */
  readonly minLevel: Level;
  readonly write: (line: string) => void;
  /** ms since 1970. */
  readonly now: () => number;
  /** The current trace, which each line names. */
  readonly trace?: Trace;
};

/**
 * Writes one JSON line per event. Lambda reads the level of a line only if it has an RFC 3339 `timestamp`;
 * without it every line is INFO (Lambda, "Log-level filtering"). Separate from `logger`, because the smallest
 * front has no space for all field names.
 */
export function logLines<Facts extends object>({
  allowedFields: names,
  minLevel: least,
  write,
  now,
  trace = getLambdaTrace,
}: LogLinesOptions) {
  // JSON.stringify passes the whole line with an empty name.
  const allowed = new Set(['', 'timestamp', 'level', 'event', 'trace', ...names]);
  const filterField = (name: string, value: unknown): unknown => {
    if (!allowed.has(name)) return undefined;
    return typeof value === 'string'
      ? value.slice(0, name === 'calls' ? MAX_CALLS_LENGTH : MAX_TEXT_LENGTH)
      : value;
  };
  const at =
    (level: Level) =>
    (event: string, facts?: Facts): void => {
      if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return;
      const timestamp = new Date(now()).toISOString();
      write(JSON.stringify({ timestamp, level, event, trace: parseTraceId(trace()), ...facts }, filterField));
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
