import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** Maximum size of a log file before it is moved to `<name>.log.1`. */
const ROTATE_BYTES = 5 * 1024 * 1024;

/** Logs of the functions: a file for each, and optionally the terminal. */
export type Logs = {
  readonly of: (name: string) => (output: Readable) => void;
  readonly note: (line: string) => void;
  /** Writes a line of the system itself to the log with this name, and not to the terminal. */
  readonly write: (name: string, line: string) => void;
};

/** Writes each function's lines to `<directory>/<name>.log`, to `echo` with its name, and to `observe`. */
export function openLogs(
  directory: string,
  echo?: (line: string) => void,
  observe?: (name: string, line: string) => void,
): Logs {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const write = (name: string, line: string) => {
    append(join(directory, `${name}.log`), line);
    observe?.(name, line);
  };
  const writeAndEcho = (name: string, line: string) => {
    write(name, line);
    echo?.(`${name} | ${line}`);
  };
  const of = (name: string) => (output: Readable) => {
    createInterface({ input: output }).on('line', (line) => writeAndEcho(name, line));
  };
  return { of, write, note: (line) => writeAndEcho('engine', line) };
}

/** A full disk must not stop the system, so the line is dropped then. */
function append(file: string, line: string): void {
  try {
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > ROTATE_BYTES) renameSync(file, `${file}.1`);
    appendFileSync(file, `${line}\n`, { mode: 0o600 });
  } catch {
    // The error cannot be logged either.
  }
}
