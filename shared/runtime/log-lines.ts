import { lambdaTrace, type Trace, traceId } from './trace.ts';

/** Levels of the log, the least important first. */
export const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof LEVELS)[number];

/** Of a text; in characters. */
const MAX_LENGTH = 200;

export type LogLinesOptions = {
  /** The names of the facts that a line may hold: any other is left out. */
  readonly names: readonly string[];
  /** What is less important is not written. */
  readonly least: Level;
  readonly write: (line: string) => void;
  /** ms since 1970. */
  readonly now: () => number;
  /** What is done belongs to it; each line names it. */
  readonly trace?: Trace;
};

/**
 * Writes one JSON line per event. Lambda takes the level from a line only where it has a `timestamp` as RFC 3339 writes one; without it
 * every line becomes INFO (Lambda, "Log-level filtering"). Apart from `logger`: the smallest front has no room for all of its names.
 */
export function logLines<Facts extends object>({
  names,
  least,
  write,
  now,
  trace = lambdaTrace,
}: LogLinesOptions) {
  // The empty name is the one that JSON gives a line as a whole.
  const allowed = new Set(['', 'timestamp', 'level', 'event', 'trace', ...names]);
  const kept = (name: string, value: unknown): unknown => {
    if (!allowed.has(name)) return undefined;
    return typeof value === 'string' ? value.slice(0, MAX_LENGTH) : value;
  };
  const at =
    (level: Level) =>
    (event: string, facts?: Facts): void => {
      if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return;
      const timestamp = new Date(now()).toISOString();
      write(JSON.stringify({ timestamp, level, event, trace: traceId(trace()), ...facts }, kept));
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
