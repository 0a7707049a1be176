import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** A log file is moved to `<name>.log.1` when it passes this size. */
const ROTATE_BYTES = 5 * 1024 * 1024;

/** Where the output of the functions goes: a file for each, and the terminal when asked for. */
export type Logs = {
  readonly of: (name: string) => (output: Readable) => void;
  readonly note: (line: string) => void;
};

/** Writes each function's lines to `<directory>/<name>.log`; with `echo`, each line also goes there, with its name. */
export function openLogs(directory: string, echo?: (line: string) => void): Logs {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const write = (name: string, line: string) => {
    append(join(directory, `${name}.log`), line);
    echo?.(`${name} | ${line}`);
  };
  const of = (name: string) => (output: Readable) => {
    createInterface({ input: output }).on('line', (line) => write(name, line));
  };
  return { of, note: (line) => write('engine', line) };
}

/** A full disk must not stop the system: the line is lost then. */
function append(file: string, line: string): void {
  try {
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > ROTATE_BYTES) renameSync(file, `${file}.1`);
    appendFileSync(file, `${line}\n`, { mode: 0o600 });
  } catch {
    // Nowhere left to say it.
  }
}
